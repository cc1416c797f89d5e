import { sha256 } from "@gleaner/queue";
import { type Infer, v } from "convex/values";
import {
  hashPattern,
  resultStatement,
  resultText,
  signaturePattern,
} from "../../../app/signatures/statements.ts";
import type { Doc } from "../../_generated/dataModel.js";
import { signingKeyOf } from "../devices/signingKey.ts";
import { refuse } from "../refuse.ts";
import { isSignedBy } from "../signatures.ts";

/** A device's signature of a result (`resultStatement` in app/signatures/). */
export const resultSignature = v.object({
  version: v.literal(1),
  jobId: v.string(),
  requestHash: v.string(),
  value: v.string(),
});

/** The signature as it is kept in the report of the attempt and of the job. `keyId`: the first characters of the key. */
export const keptSignature = v.object({ ...resultSignature.fields, keyId: v.string() });

const keyIdChars = 16;

/**
 * Checks that the device signed this result for this attempt. Refuses (invalid) a missing or wrong signature. The caller
 * checks that the signed job is the attempt's.
 */
export async function checkSignature(
  device: Doc<"devices">,
  attemptId: string,
  {
    result,
    report,
    signature,
  }: {
    readonly result: unknown;
    readonly report: unknown;
    readonly signature: Infer<typeof resultSignature> | undefined;
  },
): Promise<Infer<typeof keptSignature>> {
  if (signature === undefined) {
    refuse("invalid", "The result has no signature of the device. Update Gleaner on the device.");
  }
  const { version, jobId, requestHash, value } = signature;
  const publicKey = signingKeyOf(device);
  const isShaped = signaturePattern.test(value) && hashPattern.test(requestHash) && jobId.length <= 100;
  const resultHash = await sha256(jsonText(result, report));
  const claim = { deviceId: device._id, attemptId, jobId, requestHash, resultHash };
  if (!isShaped || !(await isSignedBy(publicKey, value, resultStatement(claim)))) {
    refuse("invalid", "The signature of the result is wrong: it fits another result, attempt or device.");
  }
  return { version, jobId, requestHash, value, keyId: publicKey.slice(0, keyIdChars) };
}

function jsonText(result: unknown, report: unknown): string {
  try {
    return resultText(result, report);
  } catch {
    return refuse("invalid", "The result and its report must have only values of JSON.");
  }
}
