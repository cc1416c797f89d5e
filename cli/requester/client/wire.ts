import * as z from "zod";
import { batchEndpointNames, batchStatuses } from "../../../app/batches/limits.ts";

/* The API's objects, as far as the commands read them. `--json` prints them whole. */

export const modelList = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), root: z.string().optional() })),
});

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

export const batchObject = z.looseObject({
  id: z.string(),
  status: z.enum(batchStatuses),
  endpoint: z.enum(batchEndpointNames),
  created_at: z.number(),
  expires_at: z.number(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  request_counts: z.object({ total: z.number(), completed: z.number(), failed: z.number() }),
  price_micro: priceMicro,
  errors: mistakes,
  forecast: batchForecast.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
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

const errorObject = z.object({ code: z.string().nullish(), message: z.string() });

export const jobObject = z.looseObject({
  id: z.string(),
  object: z.literal("job"),
  status: z.string(),
  waits_for: z.string().nullable(),
  endpoint: z.string(),
  model: z.string(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  price_micro: z.string().nullable(),
  error: errorObject.nullable(),
});
export type Job = z.output<typeof jobObject>;

export const jobList = z.looseObject({ data: z.array(jobObject), has_more: z.boolean() });

const completion = z.object({
  choices: z
    .array(
      z.object({
        text: z.string().optional(),
        message: z.object({ content: z.string().nullish() }).optional(),
      }),
    )
    .min(1),
});

/** The text of an answer of any call. An answer without one, such as vectors or the call of a tool, as JSON. */
export function textOf(body: unknown): string {
  const [choice] = completion.safeParse(body).data?.choices ?? [];
  return choice?.message?.content ?? choice?.text ?? JSON.stringify(body);
}

/** A line of a batch's output or error file. */
export const answerLine = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullable(),
  error: errorObject.nullish(),
});

/** The body of a response that is an error. */
export const errorBody = z.object({ error: errorObject });

/** An event of a streamed chat. */
export const chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })).default([]),
  error: errorObject.optional(),
});

const amount = z.number().nullable();
export const usageTable = z.looseObject({
  data: z.array(
    z.looseObject({
      day: z.string(),
      jobs: amount,
      answered: amount,
      prompt_tokens: amount,
      completion_tokens: amount,
      credits: amount,
    }),
  ),
});
