import * as z from "zod";

/* The API's objects, as far as clients read them. Other fields are kept as they came. */

/** A file, an upload or a part of one. */
export const created = z.looseObject({ id: z.string() });
export const completedUpload = z.looseObject({ file: created });

/** Micro-credits. Other servers of OpenAI's API have no prices. */
const priceMicro = z.string().regex(/^\d+$/).default("0");

const batchForecast = z.looseObject({
  expected_at: z.number().nullable(),
  latest_at: z.number().nullable(),
  on_time: z.number(),
});
export type BatchForecast = z.output<typeof batchForecast>;

const mistakes = z
  .looseObject({ data: z.array(z.looseObject({ line: z.number().nullish(), message: z.string() })) })
  .nullable();

/** The calls that a batch can have lines of. */
export const batchEndpoints = [
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/messages",
  "/v1/completions",
  "/v1/embeddings",
] as const;
export type BatchEndpoint = (typeof batchEndpoints)[number];

/** OpenAI's statuses, in its spelling. */
export const batchStatuses = [
  "validating",
  "failed",
  "in_progress",
  "cancelling",
  "completed",
  "expired",
  "cancelled",
] as const;

/** How the request of a wrong answer goes on. */
const correction = {
  corrected_by: z.string().nullable(),
  not_corrected: z.string().nullable(),
  /** Why no job answers it yet, and when that is tried again, in seconds since the epoch. Absent from servers of earlier versions. */
  postponed: z.looseObject({ why: z.string(), next_at: z.number() }).nullish(),
};

export const batchObject = z.looseObject({
  id: z.string(),
  status: z.enum(batchStatuses),
  /** Why no device has one of its jobs. Null if one does. Absent from servers of earlier versions. */
  waits_for: z.string().nullish(),
  endpoint: z.enum(batchEndpoints),
  created_at: z.number(),
  expires_at: z.number(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  request_counts: z.object({ total: z.number(), completed: z.number(), failed: z.number() }),
  price_micro: priceMicro,
  /** Absent from servers of earlier versions. */
  expected_price_micro: z.string().nullish(),
  errors: mistakes,
  forecast: batchForecast.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  /** Of devices, as the header `Gleaner-Requires`. Absent from servers of earlier versions. */
  requirements: z.string().nullish(),
  /** Answers that checks found wrong, a line with several jobs once for each of them. Absent from servers of earlier versions. */
  found_wrong: z
    .looseObject({
      count: z.number(),
      lines: z.array(
        z.looseObject({
          custom_id: z.string(),
          job: z.string(),
          /** Of the choice, or of the first vector, if the line is several jobs. */
          index: z.number().nullish(),
          ...correction,
        }),
      ),
    })
    .nullish(),
});
export type Batch = z.output<typeof batchObject>;

/** The cost and the end of a batch that is not there yet. */
export const batchEstimate = z.looseObject({
  requests: z.object({ total: z.number(), is_exact: z.boolean(), refused: z.number().nullable() }),
  expected_price_micro: priceMicro,
  most_price_micro: priceMicro,
  forecast: batchForecast.nullable(),
  errors: mistakes,
});
export type BatchEstimate = z.output<typeof batchEstimate>;

export const batchList = z.looseObject({ data: z.array(batchObject), has_more: z.boolean() });

export const errorObject = z.object({ code: z.string().nullish(), message: z.string() });

/** `queued` also stands for a job that waits for its turn. The last four are final. */
export const jobStatuses = ["queued", "running", "succeeded", "failed", "canceled", "expired"] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** A requester's say about an answer. `dispute`: null, or how it stands. */
export const ratingObject = z.looseObject({
  id: z.string(),
  rating: z.enum(["good", "bad"]),
  reason: z.string().nullable(),
  comment: z.string().nullable(),
  dispute: z
    .looseObject({
      status: z.enum(["open", "settled", "rejected"]),
      decision: z.string().nullable(),
      refund_micro: z.string().nullable(),
    })
    .nullable(),
});
export type JobRating = z.output<typeof ratingObject>;

export const deletedRating = z.looseObject({ deleted: z.literal(true) });

export const jobObject = z.looseObject({
  id: z.string(),
  object: z.literal("job"),
  status: z.enum(jobStatuses),
  waits_for: z.string().nullable(),
  endpoint: z.string(),
  model: z.string(),
  /** On its device, as the header `Gleaner-Requires`. Absent from servers of earlier versions. */
  requirements: z.string().nullish(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  price_micro: z.string().nullable(),
  /** Absent from servers of earlier versions. */
  energy: z.looseObject({ watt_hours: z.number(), source: z.string() }).nullish(),
  error: errorObject.nullable(),
  /** That checks found the answer wrong. Absent from servers of earlier versions. */
  found_wrong: z.looseObject(correction).nullish(),
  /** The job whose wrong answer this one replaces. Absent from servers of earlier versions. */
  corrects: z.string().nullish(),
  /** Of a request of several jobs: their ids. Absent from servers of earlier versions. */
  jobs: z.array(z.string()).nullish(),
  /** The request of several jobs that this one is a part of. Absent from servers of earlier versions. */
  call: z.string().nullish(),
});
export type Job = z.output<typeof jobObject>;

export const jobList = z.looseObject({ data: z.array(jobObject), has_more: z.boolean() });

/** A line of a batch's output or error file. */
export const answerLine = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullable(),
  error: errorObject.nullish(),
});

/** The body of a response that is an error. */
export const errorBody = z.object({ error: errorObject });
