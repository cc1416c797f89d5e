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

/** The version of `resultStatement` that donors sign if their backend knows it. It has the report in plain, for receipts. */
export const newestResultVersion = 2;

/** The same since version 2: the costs are in it, and the answer has a hash of its own, so that both can be checked apart. */
export type ReceiptClaim = Omit<ResultClaim, "resultHash"> & {
  /** The hash of `answerText`. */
  readonly answerHash: string;
  /** The hash of the whole result in canonical JSON. */
  readonly resultHash: string;
  /** The device's report: tokens, times, the file of the model, energy. */
  readonly report: Readonly<Record<string, unknown>>;
};

export function receiptStatement(claim: ReceiptClaim): string {
  const { attemptId, deviceId, jobId, requestHash, answerHash, resultHash, report } = claim;
  const hashes = { requestHash, answerHash, resultHash };
  return statement("gleaner.result", 2, { attemptId, deviceId, jobId, ...hashes, report });
}

/**
 * The text whose hash stands for an answer: the answer's own text, so that any program can hash it. With tool calls or vectors
 * it is the canonical JSON of them. The ids of tokens have a blank between them.
 */
export function answerText(result: {
  readonly text?: string;
  readonly toolCalls?: readonly unknown[];
  readonly embeddings?: readonly string[];
  readonly tokenIds?: string;
  /** A replay has no answer of its own. */
  readonly replay?: unknown;
}): string {
  const { text = "", toolCalls, embeddings, tokenIds } = result;
  if (tokenIds !== undefined) return tokenIds;
  if (embeddings !== undefined) return canonicalJson({ embeddings });
  return toolCalls === undefined || toolCalls.length === 0 ? text : canonicalJson({ text, toolCalls });
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
