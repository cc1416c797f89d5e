import { createHash, createPublicKey, verify } from "node:crypto";
import type { ReceiptCrypto } from "../../app/receipts/check-receipt.ts";
import { api } from "../_generated/api.js";
import { answer, type Backend, claim, type Device, payloadOf } from "./backend.fixture.ts";
import { signedForReceipt } from "./signing.fixture.ts";

/** Node's functions, with which tests check receipts and archives. */
export const receiptCrypto: ReceiptCrypto = {
  hash: async (text) => await Promise.resolve(createHash("sha256").update(text).digest("hex")),
  isSigned: async (x, signature, text) => {
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
    return await Promise.resolve(verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url")));
  },
};

/** The hash of the file of the organization's model. */
export const modelHash = "ab".repeat(32);

/**
 * Claims a job and sends an answer that gets a receipt. Returns what the backend says of it.
 * @param more further fields of the report.
 */
export async function answerForReceipt(
  t: Backend,
  device: Device,
  jobId: string,
  more: object = {},
  text = "Hello.",
) {
  const attemptId = await claim(t, device, jobId);
  const { deviceId, key, signingKey } = device;
  const payload = await payloadOf(t, key, attemptId);
  const { result, report } = answer(text);
  const signed = signedForReceipt(
    signingKey,
    { deviceId, attemptId, jobId, payload },
    { result, report: { model: modelHash, ...report, ...more } },
  );
  return await t.mutation(api.work.complete, { key, attemptId, ...signed, demand: { jobs: 0 } });
}
