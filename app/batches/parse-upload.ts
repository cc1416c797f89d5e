import * as z from "zod";
import { uploadCompletionFields, uploadFields } from "../fields/batches.ts";
import {
  absent,
  type BodyParse,
  boundedList,
  parseBody,
  requestBody,
  text,
} from "../jobs/parse/parse-body.ts";
import { whole } from "../jobs/parse/parse-sampling.ts";
import { batchLimits, fileTimes } from "./limits.ts";

/** A file that comes in parts, as its requester announces it. `bytes`: of the whole file. */
export type ParsedUpload = {
  readonly name: string;
  readonly bytes: number;
  /** How long the file is kept. Undefined: the default. */
  readonly keptSeconds: number | undefined;
};

export const uploadBody = requestBody(uploadFields, {
  filename: text.min(1).max(batchLimits.fileNameChars),
  bytes: whole(1, batchLimits.uploadBytes),
  purpose: z.literal("batch"),
  expires_after: z
    .object({
      anchor: z.literal("created_at"),
      seconds: whole(fileTimes.leastSeconds, fileTimes.mostSeconds),
    })
    .nullish(),
});

/** Parses and bounds the body of POST /v1/uploads. */
export function parseUpload(json: string): BodyParse<ParsedUpload> {
  const parsed = parseBody(uploadBody, json);
  if (parsed.kind === "refused") return parsed;
  const { filename: name, bytes, expires_after: kept } = parsed.asked;
  return { kind: "parsed", asked: { name, bytes, keptSeconds: kept?.seconds } };
}

export const uploadCompletionBody = requestBody(uploadCompletionFields, {
  part_ids: boundedList(text.min(1).max(200), { least: 1, most: batchLimits.uploadParts }),
  md5: absent("it is not checked, since TLS protects the parts on their way"),
});

/** Parses the body of POST /v1/uploads/ID/complete: the ids of the parts in their order. */
export function parseUploadCompletion(json: string): BodyParse<{ readonly partIds: readonly string[] }> {
  const parsed = parseBody(uploadCompletionBody, json);
  if (parsed.kind === "refused") return parsed;
  return { kind: "parsed", asked: { partIds: parsed.asked.part_ids } };
}
