import { canonicalJson } from "./canonical-json.ts";

/*
 * The texts that devices sign with Ed25519. Each begins with its purpose and version, so that a signature for one purpose
 * is worthless for another. Keys and signatures are in base64url without padding, hashes are SHA-256 in lower-case hex.
 */

/** A public key of Ed25519: 32 bytes. */
export const publicKeyPattern = /^[A-Za-z0-9_-]{43}$/;
/** A signature of Ed25519: 64 bytes. */
export const signaturePattern = /^[A-Za-z0-9_-]{86}$/;
export const hashPattern = /^[0-9a-f]{64}$/;

/** A device's proof that it has the private key. `keyHash`: the hash of the device's own secret. */
export function deviceKeyStatement(claim: { readonly keyHash: string; readonly publicKey: string }): string {
  return statement("gleaner.device-key", 1, claim);
}

/** A device's claim that it produced a result. It fits one attempt of one device, and nothing else. */
export type ResultClaim = {
  readonly deviceId: string;
  readonly attemptId: string;
  readonly jobId: string;
  /** The hash of the job's payload in canonical JSON, as the device got it. */
  readonly requestHash: string;
  /** The hash of `resultText`. */
  readonly resultHash: string;
};

export function resultStatement(claim: ResultClaim): string {
  return statement("gleaner.result", 1, claim);
}

/** The text whose hash a device signs: the result, and the report of its cost. Throws a TypeError if they have no JSON. */
export function resultText(result: unknown, report: unknown): string {
  return canonicalJson({ result, report });
}

/** The text of a claim. Its purpose and version come first. */
export function statement(
  purpose: string,
  version: number,
  claim: Readonly<Record<string, unknown>>,
): string {
  return canonicalJson([purpose, version, claim]);
}
