import { sha256 } from "@gleaner/queue";
import { type Infer, v } from "convex/values";
import { canonicalJson } from "../../../app/signatures/canonical-json.ts";
import {
  answerText,
  hashPattern,
  receiptStatement,
  resultStatement,
  resultText,
  signaturePattern,
} from "../../../app/signatures/statements.ts";
import type { Doc } from "../../_generated/dataModel.js";
import { isSignedBy } from "../signatures.ts";

const everySignature = { jobId: v.string(), requestHash: v.string(), value: v.string() };
const firstSignature = { ...everySignature, version: v.literal(1) };
const newestSignature = {
  ...everySignature,
  version: v.literal(2),
  answerHash: v.string(),
  resultHash: v.string(),
};

/** A device's signature of a result: `resultStatement` in app/signatures/, and `receiptStatement` since version 2. */
export const resultSignature = v.union(v.object(firstSignature), v.object(newestSignature));

/** A signature of version 2 as it is kept in the report of the job, from which its receipt is made. */
export const keptSignature = v.object({ ...newestSignature, keyId: v.string(), attemptId: v.string() });

const keyIdChars = 16;

/** A signature that fits, or a sentence that says why it does not. */
type Checked =
  | {
      readonly kind: "signed";
      /** As it is kept in the report. `keyId`: the first characters of the key. */
      readonly signature: Infer<typeof resultSignature> & { readonly keyId: string };
    }
  | { readonly kind: "wrong"; readonly why: string };

/**
 * Checks that the device signed this result for this request and this attempt of this job.
 * @param answer what `readAnswer` returned, so it has a JSON text.
 */
export async function checkSignature(
  device: Doc<"devices">,
  { payload, ...attempt }: { readonly attemptId: string; readonly jobId: string; readonly payload: unknown },
  answer: {
    readonly result: Parameters<typeof answerText>[0];
    readonly report: Readonly<Record<string, unknown>>;
    readonly signature: Infer<typeof resultSignature> | undefined;
  },
): Promise<Checked> {
  const { result, report, signature } = answer;
  const { signingKey: publicKey } = device;
  if (signature === undefined || publicKey === undefined) {
    return { kind: "wrong", why: "The result has no signature of the device. Update Gleaner on the device." };
  }
  const { jobId, requestHash, value } = signature;
  if (!signaturePattern.test(value) || !hashPattern.test(requestHash) || jobId !== attempt.jobId)
    return wrong;
  if (requestHash !== (await sha256(canonicalJson(payload)))) return wrong;
  const keyId = publicKey.slice(0, keyIdChars);
  const claim = { deviceId: device._id, ...attempt, requestHash };
  if (signature.version === 1) {
    const resultHash = await sha256(resultText(result, report));
    if (!(await isSignedBy(publicKey, value, resultStatement({ ...claim, resultHash })))) return wrong;
    return { kind: "signed", signature: { ...signature, keyId } };
  }
  const answerHash = await sha256(answerText(result));
  const resultHash = await sha256(canonicalJson(result));
  if (answerHash !== signature.answerHash || resultHash !== signature.resultHash) return wrong;
  const text = receiptStatement({ ...claim, answerHash, resultHash, report });
  if (!(await isSignedBy(publicKey, value, text))) return wrong;
  const kept = { ...signature, keyId, attemptId: attempt.attemptId };
  return { kind: "signed", signature: kept };
}

const wrong: Checked = {
  kind: "wrong",
  why: "The signature of the result is wrong: it fits another request, result, attempt or device.",
};
