import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { canonicalJson } from "../../app/signatures/canonical-json.ts";
import {
  answerText,
  deviceKeyStatement,
  receiptStatement,
  resultStatement,
  resultText,
} from "../../app/signatures/statements.ts";

/** A simulated device's pair of keys. */
export type SigningKey = { readonly publicKey: string; readonly privateKey: KeyObject };

export function makeSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: publicKey.export({ format: "jwk" })["x"] as string, privateKey };
}

export function signText({ privateKey }: SigningKey, text: string): string {
  return sign(null, Buffer.from(text), privateKey).toString("base64url");
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The arguments with which a device registers its signing key. `key`: the device's own secret. */
export function registrationOf(
  signingKey: SigningKey,
  key: string,
): { readonly publicKey: string; readonly proof: string } {
  const { publicKey } = signingKey;
  const proof = signText(signingKey, deviceKeyStatement({ keyHash: hashText(key), publicKey }));
  return { publicKey, proof };
}

/** One attempt of a device. */
export type SignedAttempt = {
  readonly deviceId: string;
  readonly attemptId: string;
  readonly jobId: string;
  /** The job's, as the device got it. */
  readonly payload: unknown;
};

/** The same in version 2, of which receipts are made. `report`: names the file of the model. */
export function signedForReceipt<Result extends object, Report extends { readonly model: string }>(
  signingKey: SigningKey,
  { deviceId, attemptId, jobId, payload }: SignedAttempt,
  { result, report }: { readonly result: Result; readonly report: Report },
) {
  const requestHash = hashText(canonicalJson(payload));
  const hashes = { answerHash: hashText(answerText(result)), resultHash: hashText(canonicalJson(result)) };
  const claim = { deviceId, attemptId, jobId, requestHash, ...hashes, report };
  const value = signText(signingKey, receiptStatement(claim));
  const signature = { version: 2 as const, jobId, requestHash, ...hashes, value };
  return { result, report: { ...report, signature } };
}

/** A result and its report, signed as a device of version 1 does. NaN has no JSON, so the hash of another report is signed then. */
export function signedAnswer<Result, Report extends object>(
  signingKey: SigningKey,
  { deviceId, attemptId, jobId, payload }: SignedAttempt,
  { result, report }: { readonly result: Result; readonly report: Report },
) {
  const requestHash = hashText(canonicalJson(payload));
  const resultHash = hashText(textOf(result, report));
  const value = signText(
    signingKey,
    resultStatement({ deviceId, attemptId, jobId, requestHash, resultHash }),
  );
  const signature = { version: 1 as const, jobId, requestHash, value };
  return { result, report: { ...report, signature } };
}

function textOf(result: unknown, report: unknown): string {
  try {
    return resultText(result, report);
  } catch {
    return "";
  }
}
