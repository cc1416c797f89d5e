import * as z from "zod";
import { batchEstimateFields, batchFields } from "../fields/batches.ts";
import {
  type BodyParse,
  boundedRecord,
  parseBody,
  refuseField,
  requestBody,
  text,
} from "../jobs/parse/parse-body.ts";
import { whole } from "../jobs/parse/parse-sampling.ts";
import { type BatchEndpoint, batchEndpointNames, batchLimits, fileTimes } from "./limits.ts";

/** A batch, as received over HTTP. */
export type ParsedBatch = {
  readonly fileId: string;
  readonly endpoint: BatchEndpoint;
  /** As it was asked for, such as "24h". */
  readonly window: string;
  readonly windowMs: number;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** How long its files are kept from their creation; null: the default. */
  readonly outputKeptMs: number | null;
};

/** A batch whose cost and end are asked for. */
export type ParsedBatchEstimate = ParsedBatch & {
  /** The requests of which the file is a sample. Null: the file has all of them. */
  readonly sampleOf: number | null;
};

const shape = {
  input_file_id: text.min(1).max(200),
  endpoint: z.enum(batchEndpointNames),
  completion_window: text.max(20),
  metadata: boundedRecord(
    text.min(1).max(batchLimits.metadataKeyChars),
    text.max(batchLimits.metadataValueChars),
    batchLimits.metadataFields,
  ).nullish(),
  output_expires_after: z
    .object({
      anchor: z.literal("created_at"),
      seconds: whole(fileTimes.leastSeconds, fileTimes.mostSeconds),
    })
    .nullish(),
};

export const batchBody = requestBody(batchFields, shape);

const mostSampled = 100_000_000;

export const batchEstimateBody = requestBody(batchEstimateFields, {
  ...shape,
  sample_of: whole(1, mostSampled).nullish(),
});

/** Parses and bounds the body of POST /v1/batches. Does not check that the file exists. */
export function parseBatch(json: string): BodyParse<ParsedBatch> {
  const parsed = parseBody(batchBody, json);
  return parsed.kind === "refused" ? parsed : batchOf(parsed.asked);
}

/** The same of POST /v1/batches/estimate. */
export function parseBatchEstimate(json: string): BodyParse<ParsedBatchEstimate> {
  const parsed = parseBody(batchEstimateBody, json);
  if (parsed.kind === "refused") return parsed;
  const batch = batchOf(parsed.asked);
  if (batch.kind === "refused") return batch;
  return { kind: "parsed", asked: { ...batch.asked, sampleOf: parsed.asked.sample_of ?? null } };
}

function batchOf(asked: z.output<typeof batchBody.schema>): BodyParse<ParsedBatch> {
  const { input_file_id: fileId, endpoint, completion_window: window, metadata = null } = asked;
  const seconds = asked.output_expires_after?.seconds;
  const windowMs = windowMsOf(window);
  if (windowMs === null) return refuseField("completion_window", 'must be from "1h" to "7d", such as "24h"');
  return {
    kind: "parsed",
    asked: {
      fileId,
      endpoint,
      window,
      windowMs,
      metadata,
      outputKeptMs: seconds === undefined ? null : seconds * 1_000,
    },
  };
}

const unitsMs = { h: 3_600_000, d: 24 * 3_600_000 } as const;

/** A time within which a batch ends, in ms; null if it is none, or out of bounds. */
export function windowMsOf(window: string): number | null {
  const [, count, unit] = /^(\d{1,3})([hd])$/.exec(window) ?? [];
  const ms = Number(count) * (unit === "d" ? unitsMs.d : unitsMs.h);
  return ms >= batchLimits.leastWindowMs && ms <= batchLimits.mostWindowMs ? ms : null;
}
