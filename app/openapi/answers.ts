import * as z from "zod";
import { batchEndpointNames } from "../batches/limits.ts";

/** The answers of the HTTP API, for its OpenAPI document. Tests hold real answers to them. */

const time = z.int().describe("Seconds of Unix time.");
const micro = z.string().describe("Micro-credits, as a whole number in a text.");
const tier = z.enum(["priority", "default", "flex"]);
const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
});
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

const chatCompletion = z.object({
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
});

const chatCompletionChunk = z.object({
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
});

const completion = z.object({
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
});

const embeddings = z.object({
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

const response = z.object({
  id: z.string(),
  object: z.literal("response"),
  created_at: time,
  status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
  background: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.literal("max_output_tokens") }).nullable(),
  model: z.string(),
  output: z.array(
    z.looseObject({ id: z.string(), type: z.enum(["message", "function_call"]), status: z.string() }),
  ),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullable(),
  service_tier: tier,
  metadata: z.record(z.string(), z.string()),
});

const message = z.object({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.enum(["text", "tool_use"]) })),
  stop_reason: z.enum(["end_turn", "max_tokens", "tool_use"]).nullable(),
  stop_sequence: z.null(),
  usage: z.object({
    input_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    output_tokens: z.int(),
  }),
});

const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: time,
  owned_by: z.literal("organization"),
  root: z.string().optional().describe("Of an alias: its model."),
});

const job = z.object({
  id: z.string(),
  object: z.literal("job"),
  endpoint: z.string(),
  status: z.enum(["queued", "running", "succeeded", "failed", "canceled", "expired"]),
  waits_for: z
    .string()
    .nullable()
    .describe("Why a queued job has not started. Null if a device is about to start it."),
  model: z.string(),
  service_tier: tier,
  created_at: time,
  started_at: time.nullable(),
  ended_at: time.nullable(),
  attempts: z.int(),
  usage: usage.nullable(),
  price_percent: z.number(),
  price_micro: micro.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  result_url: z.string().nullable(),
});

const forecast = z
  .object({
    expected_at: time.nullable(),
    latest_at: time.nullable(),
    on_time: z.number().min(0).max(1),
    made_at: time,
  })
  .nullable();

const mistakes = z
  .object({
    object: z.literal("list"),
    data: z.array(
      z.object({ line: z.int(), code: z.string(), message: z.string(), param: z.string().nullable() }),
    ),
  })
  .nullable();

const batch = z.object({
  id: z.string(),
  object: z.literal("batch"),
  endpoint: z.enum(batchEndpointNames),
  errors: mistakes,
  input_file_id: z.string(),
  completion_window: z.string(),
  status: z.string(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: time,
  in_progress_at: time.nullable(),
  expires_at: time,
  completed_at: time.nullable(),
  failed_at: time.nullable(),
  expired_at: time.nullable(),
  cancelling_at: time.nullable(),
  cancelled_at: time.nullable(),
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
  metadata: z.record(z.string(), z.string()).nullable(),
  price_micro: micro,
  forecast,
});

const batchEstimate = z.object({
  object: z.literal("batch.estimate"),
  endpoint: z.string(),
  completion_window: z.string(),
  model: z.string().nullable(),
  requests: z.object({ total: z.int(), is_exact: z.boolean(), refused: z.int().nullable() }),
  errors: mistakes,
  expected_price_micro: micro,
  most_price_micro: micro,
  forecast,
});

const file = z.object({
  id: z.string(),
  object: z.literal("file"),
  bytes: z.int(),
  created_at: time,
  expires_at: time,
  filename: z.string(),
  purpose: z.enum(["batch", "batch_output"]),
  status: z.literal("processed"),
});

const upload = z.object({
  id: z.string(),
  object: z.literal("upload"),
  bytes: z.int(),
  created_at: time,
  expires_at: time,
  filename: z.string(),
  purpose: z.literal("batch"),
  status: z.string(),
  file: file.nullable(),
});

const uploadPart = z.object({
  id: z.string(),
  object: z.literal("upload.part"),
  created_at: time,
  upload_id: z.string(),
});

const listOf = (item: z.ZodType) => z.object({ object: z.literal("list"), data: z.array(item) });
const page = { last_id: z.string().nullable(), has_more: z.boolean() };
const table = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])));

const error = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

/** All answers of the HTTP API by their names in the document. */
export const answers = {
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
  Completion: completion,
  EmbeddingList: embeddings,
  Response: response,
  Message: message,
  TokenCount: z.object({ input_tokens: z.int() }),
  Model: model,
  ModelList: listOf(model),
  Job: job,
  JobList: listOf(job).extend(page),
  JobPriority: z.object({ id: z.string(), object: z.literal("job"), service_tier: z.string() }),
  Batch: batch,
  BatchList: listOf(batch).extend({ first_id: z.string().nullable(), ...page }),
  BatchEstimate: batchEstimate,
  File: file,
  FileList: listOf(file).extend({ first_id: z.string().nullable(), ...page }),
  DeletedFile: z.object({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) }),
  Upload: upload,
  UploadPart: uploadPart,
  UsageTable: z.object({
    object: z.literal("list"),
    by: z.string(),
    days: z.int(),
    currency: z.string(),
    data: table,
  }),
  BudgetTable: z.object({ object: z.literal("list"), month: z.string(), data: table }),
  Error: error,
  MessageError: error.extend({ type: z.literal("error") }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type AnswerName = keyof typeof answers;
