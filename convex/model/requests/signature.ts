import { sha256 } from "@gleaner/queue";
import { type Infer, v } from "convex/values";
import { canonicalJson } from "../../../app/signatures/canonical-json.ts";
import {
  hashPattern,
  resultStatement,
  resultText,
  signaturePattern,
} from "../../../app/signatures/statements.ts";
import type { Doc } from "../../_generated/dataModel.js";
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

/** A signature that fits, or a sentence that says why it does not. */
type Checked =
  | { readonly kind: "signed"; readonly signature: Infer<typeof keptSignature> }
  | { readonly kind: "wrong"; readonly why: string };

/**
 * Checks that the device signed this result for this request and this attempt of this job.
 * @param answer what `readAnswer` returned, so it has a JSON text.
 */
export async function checkSignature(
  device: Doc<"devices">,
  { payload, ...attempt }: { readonly attemptId: string; readonly jobId: string; readonly payload: unknown },
  answer: {
    readonly result: unknown;
    readonly report: unknown;
    readonly signature: Infer<typeof resultSignature> | undefined;
  },
): Promise<Checked> {
  const { result, report, signature } = answer;
  const { signingKey: publicKey } = device;
  if (signature === undefined || publicKey === undefined) {
    return { kind: "wrong", why: "The result has no signature of the device. Update Gleaner on the device." };
  }
  const { version, jobId, requestHash, value } = signature;
  if (!signaturePattern.test(value) || !hashPattern.test(requestHash) || jobId !== attempt.jobId)
    return wrong;
  if (requestHash !== (await sha256(canonicalJson(payload)))) return wrong;
  const resultHash = await sha256(resultText(result, report));
  const claim = { deviceId: device._id, ...attempt, requestHash, resultHash };
  if (!(await isSignedBy(publicKey, value, resultStatement(claim)))) return wrong;
  const keyId = publicKey.slice(0, keyIdChars);
  return { kind: "signed", signature: { version, jobId, requestHash, value, keyId } };
}

const wrong: Checked = {
  kind: "wrong",
  why: "The signature of the result is wrong: it fits another request, result, attempt or device.",
};
