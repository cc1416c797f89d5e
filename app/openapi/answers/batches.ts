import * as z from "zod";
import { batchEndpointNames, batchLimits } from "../../batches/limits.ts";
import { correction, micro, price, time } from "./shared.ts";

/** Batches and their files. */

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

export const batch = z.object({
  id: z.string(),
  object: z.literal("batch"),
  endpoint: z.enum(batchEndpointNames),
  errors: mistakes,
  input_file_id: z.string(),
  completion_window: z.string(),
  status: z.string(),
  waits_for: z
    .string()
    .nullable()
    .describe(
      "Why no device has one of its jobs. Null if one does, while it does not run, and in the answers to calls that create or cancel it.",
    ),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: time,
  in_progress_at: time.nullable(),
  expires_at: time,
  finalizing_at: z.null(),
  completed_at: time.nullable(),
  failed_at: time.nullable(),
  expired_at: time.nullable(),
  cancelling_at: time.nullable(),
  cancelled_at: time.nullable(),
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  usage: z.object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cached_tokens: z.int() }),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
  }),
  metadata: z.record(z.string(), z.string()).nullable(),
  requirements: z
    .string()
    .nullable()
    .describe("Of devices, as its call named them in the header `Gleaner-Requires`. Null for none."),
  price_micro: micro,
  expected_price_micro: micro
    .nullable()
    .describe("Of all its requests. Null if it is not known, or not running."),
  forecast,
  found_wrong: z
    .object({
      count: z
        .int()
        .describe("Of jobs: a line with several choices or many inputs counts once for each wrong job."),
      lines: z
        .array(
          z.object({
            custom_id: z.string(),
            job: z.string(),
            index: z
              .int()
              .nullable()
              .describe(
                "Of the choice, or of the first vector, that this job made. Null if it made the whole answer.",
              ),
            ...correction,
          }),
        )
        .describe(`The first ${String(batchLimits.namedWrongLines)} of them.`),
    })
    .nullable()
    .describe("Answers that checks found wrong."),
});

export const batchEstimate = z.object({
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

/** The price of a call that is not made. */
export const estimate = z.object({
  object: z.literal("estimate"),
  endpoint: z.string(),
  model: z.string(),
  answers: z.int(),
  price,
  expected_usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }),
  expected_price_micro: micro,
  most_price_micro: micro,
  reserved_micro: micro,
});

export const file = z.object({
  id: z.string(),
  object: z.literal("file"),
  bytes: z.int(),
  created_at: time,
  expires_at: time,
  filename: z.string(),
  purpose: z.enum(["batch", "batch_output"]),
  status: z.literal("processed"),
});

export const upload = z.object({
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

export const uploadPart = z.object({
  id: z.string(),
  object: z.literal("upload.part"),
  created_at: time,
  upload_id: z.string(),
});
