import * as z from "zod";
import { energySources } from "../../energy/job-energy.ts";
import { micro, tier, time, usage } from "./shared.ts";

/** Answers with texts or vectors. */

const finishReason = z.enum(["stop", "length", "tool_calls"]);
const token = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()) });
const logprobs = z.object({
  content: z.array(token.extend({ top_logprobs: z.array(token) })),
  refusal: z.null(),
});
const toolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const head = {
  id: z.string(),
  created: time,
  model: z.string().describe("The model that did the job, also if an alias was asked for."),
  service_tier: tier,
  system_fingerprint: z.string(),
};

/** How an answer was voted on. */
const votes = z.object({
  votes: z.int(),
  agreed: z.int(),
  confidence: z.number().min(0).max(1).nullable(),
  escalated: z.boolean(),
});

/** Only in answers that were voted on. */
const opinion = votes.optional();

/** In the last event of a stream. Its headers were sent before this was known. */
const cost = z.object({
  queue_ms: z.int().nullable().describe("How long the job waited for a device; null for several jobs."),
  device_class: z
    .string()
    .nullable()
    .describe("The kind of computer that did the job; null for several jobs."),
  model_sha256: z.string(),
  price_percent: z.number().describe("What the priority costs, in percent of the model's price."),
  price_micro: micro.nullable(),
  energy: z
    .object({ watt_hours: z.number(), source: z.enum(energySources) })
    .nullable()
    .describe("The energy that the devices used."),
});

/** Of an answer that may be the last event of a stream. */
const own = votes.partial().extend(cost.partial().shape).optional();

export const chatCompletion = z.object({
  ...head,
  object: z.literal("chat.completion"),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        tool_calls: z.array(toolCall).optional(),
      }),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason,
    }),
  ),
  usage,
  x_gleaner: opinion,
});

export const chatCompletionChunk = z.object({
  ...head,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({
        role: z.literal("assistant").optional(),
        content: z.string().optional(),
        tool_calls: z.array(toolCall.extend({ index: z.int() })).optional(),
      }),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullish(),
  x_gleaner: own,
});

export const completion = z.object({
  ...head,
  object: z.literal("text_completion"),
  choices: z.array(
    z.object({
      index: z.int(),
      text: z.string(),
      logprobs: z
        .object({
          tokens: z.array(z.string()),
          token_logprobs: z.array(z.number()),
          top_logprobs: z.array(z.record(z.string(), z.number())).nullable(),
          text_offset: z.array(z.int()),
        })
        .nullable(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullish(),
  x_gleaner: own,
});

export const embeddings = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int(),
      embedding: z.union([
        z.array(z.number()),
        z.string().describe("32-bit floats, little-endian, as base64."),
      ]),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

export const ranking = z.object({
  id: z.string(),
  object: z.literal("list"),
  model: z.string(),
  results: z.array(
    z.object({
      index: z.int(),
      relevance_score: z.number(),
      document: z.object({ text: z.string() }).optional(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

export const tokens = z.object({
  count: z.int(),
  max_model_len: z.int().describe("The tokens of the model's context."),
  tokens: z.array(z.int()),
});

/** Fields of its request that a response repeats, and those that are the same in every one. */
const repeated = {
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  tools: z.array(z.looseObject({ type: z.literal("function") })),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]),
  text: z.object({ format: z.looseObject({ type: z.string() }) }),
  parallel_tool_calls: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  background: z.boolean(),
  store: z.boolean(),
  previous_response_id: z.null(),
  reasoning: z.object({ effort: z.null(), summary: z.null() }),
  truncation: z.literal("disabled"),
  access_programs: z.null(),
};

export const response = z.object({
  id: z.string(),
  object: z.literal("response"),
  created_at: time,
  status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.literal("max_output_tokens") }).nullable(),
  model: z.string(),
  output: z.array(
    z.looseObject({ id: z.string(), type: z.enum(["message", "function_call"]), status: z.string() }),
  ),
  usage: z
    .object({
      input_tokens: z.int(),
      input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.object({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .nullable(),
  service_tier: tier,
  ...repeated,
  x_gleaner: own,
});

export const message = z.object({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.enum(["text", "tool_use"]) })),
  stop_reason: z.enum(["end_turn", "max_tokens", "stop_sequence", "tool_use"]).nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: z.null(),
  container: z.null(),
  diagnostics: z.null(),
  usage: z.object({
    input_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    output_tokens: z.int(),
    output_tokens_details: z.null(),
    server_tool_use: z.null(),
    cache_creation: z.null(),
    inference_geo: z.null(),
    service_tier: z.null(),
    speed: z.null(),
  }),
  x_gleaner: opinion,
});
