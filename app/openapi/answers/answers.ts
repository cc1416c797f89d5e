import * as z from "zod";
import { energySources } from "../../energy/job-energy.ts";
import { disputeStates, ratingReasons, ratings } from "../../jobs/rating.ts";
import { allowanceKinds, allowancePeriods } from "../../money/allowance.ts";
import { receiptSchema } from "../../receipts/receipt.ts";
import { batch, batchEstimate, estimate, file, upload, uploadPart } from "./batches.ts";
import { correction, micro, price, tier, time, usage } from "./shared.ts";
import {
  chatCompletion,
  chatCompletionChunk,
  completion,
  embeddings,
  message,
  ranking,
  response,
  tokens,
} from "./texts.ts";

/** The answers of the HTTP API, for its OpenAPI document. Tests hold real answers to them. */

const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: time,
  owned_by: z.literal("organization"),
  context_length: z.int().describe("The most tokens that a request and its answer have together."),
  type: z.literal("model").describe("This field and the next ones are those of Anthropic's models."),
  display_name: z.string().describe("The id."),
  created_at: z.iso.datetime().describe("The same time as `created`."),
  max_input_tokens: z.int().describe("The context of the model. The prompt and the answer share it."),
  max_tokens: z.int().describe("The same."),
  lifecycle: z.literal("active"),
  deprecated_at: z.null(),
  retires_at: z.null(),
  line: z.null(),
  capabilities: z.null(),
  root: z.string().optional().describe("Of an alias: its model."),
});

const queue = z.object({
  jobs_ahead: z.int().nullable(),
  is_exact: z.boolean().nullable().describe("Whether `jobs_ahead` is no estimate."),
  expected_wait_seconds: z.int().nullable(),
  devices_ready: z.int().describe("The devices that take such jobs now, also busy ones."),
  devices_not_donating: z
    .object({
      offline: z.int(),
      standby: z.int(),
      paused: z.int(),
      outdated: z.int(),
      pending: z.int(),
    })
    .nullable()
    .describe("Null while a device donates."),
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
  requirements: z
    .string()
    .nullable()
    .describe(
      "On its device, as the header `Gleaner-Requires` has them: those of its key and of its call together. Null for none.",
    ),
  queue: queue.nullable().describe("How a queued job waits. Null once a device has it, and in lists."),
  service_tier: tier,
  created_at: time,
  started_at: time.nullable(),
  ended_at: time.nullable(),
  attempts: z.int(),
  usage: usage.nullable(),
  energy: z
    .object({ watt_hours: z.number(), source: z.enum(energySources) })
    .nullable()
    .describe("The energy that its device used. Null before its end, and if the device did not tell it."),
  price: price
    .nullable()
    .describe(
      "How the price comes about: tokens × these × percent. `price_micro` may also have the part of a slow device whose answer another one finished: up to half of that. Null for a call of several jobs.",
    ),
  price_percent: z.number(),
  price_micro: micro.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  result_url: z.string().nullable(),
  receipt_url: z.string().nullable(),
  found_wrong: z
    .object({ at: time, ...correction })
    .nullable()
    .describe("That checks found the answer wrong."),
  corrects: z.string().nullable().describe("The job whose wrong answer this one replaces."),
  jobs: z.array(z.string()).nullable().describe("Of a call of several jobs: their ids. Null for a job."),
  call: z
    .string()
    .nullable()
    .describe("The call of several jobs that this one is a part of, if that did not wait for its answer."),
});

const jobRating = z.object({
  id: z.string().describe("The job's id."),
  object: z.literal("job.rating"),
  rating: z.enum(ratings),
  reason: z.enum(ratingReasons).nullable(),
  comment: z.string().nullable(),
  created_at: time.describe("The time of the last change."),
  dispute: z
    .object({
      status: z.enum(disputeStates),
      decided_at: time.nullable(),
      decision: z.string().nullable().describe("The words of the administrator who decided."),
      refund_micro: micro.nullable().describe("The part of the price that the key got back."),
    })
    .nullable(),
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
  Ranking: ranking,
  Tokens: tokens,
  Response: response,
  Message: message,
  TokenCount: z.object({ input_tokens: z.int() }),
  Model: model,
  ModelList: listOf(model).extend({ first_id: z.string().nullable(), ...page }),
  Job: job,
  JobList: listOf(job).extend(page),
  Receipt: receiptSchema,
  ReceiptList: listOf(receiptSchema).extend(page),
  JobPriority: z.object({ id: z.string(), object: z.literal("job"), service_tier: z.string() }),
  JobRating: jobRating,
  DeletedRating: z.object({ id: z.string(), object: z.literal("job.rating"), deleted: z.literal(true) }),
  Batch: batch,
  BatchList: listOf(batch).extend({ first_id: z.string().nullable(), ...page }),
  BatchEstimate: batchEstimate,
  Estimate: estimate,
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
  Credits: z.object({
    object: z.literal("credits"),
    available_credits: z.number(),
    allowance: z
      .object({
        credits: z.number(),
        every: z.enum(allowancePeriods),
        kind: z.enum(allowanceKinds).describe("`top-up`: it gets only what it lacks to the amount."),
        next_at: time,
      })
      .nullable(),
  }),
  Error: error,
  MessageError: z.object({
    type: z.literal("error"),
    error: error.shape.error.extend({
      details: z
        .object({ error_code: z.string(), unsupported: z.array(z.string()) })
        .optional()
        .describe("By it Anthropic's packages know that they have to send all messages."),
    }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type AnswerName = keyof typeof answers;
