import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Handler } from "@gleaner/queue/worker";
import type { Value } from "convex/values";
import { isRecord } from "../../../app/json.ts";
import { canonicalJson } from "../../../app/signatures/canonical-json.ts";
import {
  answerText,
  deviceKeyStatement,
  newestResultVersion,
  receiptStatement,
  type ResultClaim,
  resultStatement,
  resultText,
} from "../../../app/signatures/statements.ts";

/** The device's name at its organization, and the newest version of signed results that the backend knows. */
type Signed = { readonly deviceId: string; readonly resultVersion: number };

type Fields = Readonly<Record<string, unknown>>;
type Attempt = Omit<ResultClaim, "resultHash">;

/** Signs in this device's name. Keys and signatures of Ed25519 are in base64url. */
export class Signer {
  readonly #privateKey: KeyObject;
  readonly publicKey: string;

  constructor(privateKey: KeyObject) {
    this.#privateKey = privateKey;
    this.publicKey = createPublicKey(privateKey).export({ format: "jwk" }).x ?? "";
  }

  /** The public key, with the proof that the device with this key has the private one. */
  registration(deviceKey: string): { readonly publicKey: string; readonly proof: string } {
    const { publicKey } = this;
    const proof = this.#sign(deviceKeyStatement({ keyHash: sha256(deviceKey), publicKey }));
    return { publicKey, proof };
  }

  /** Wraps a job's handler: its report gets the signature of the result. @param by the device, once the job has ended. */
  signed(handler: Handler, by: () => Signed): Handler {
    return async (payload, ctx) => {
      let report: unknown;
      const result = await handler(payload, {
        ...ctx,
        report: (facts) => {
          report = facts;
        },
      });
      if (!isRecord(report) || !isRecord(result)) return result;
      const { attemptId, jobId } = ctx;
      const { deviceId, resultVersion } = by();
      const attempt = { deviceId, attemptId, jobId, requestHash: sha256(canonicalJson(payload)) };
      const isNew = resultVersion >= newestResultVersion;
      ctx.report(
        (isNew ? this.#newest(attempt, result, report) : this.#first(attempt, result, report)) as Value,
      );
      return result;
    };
  }

  #newest(attempt: Attempt, result: Fields, report: Fields): Fields {
    const { jobId, requestHash } = attempt;
    const hashes = { answerHash: sha256(answerText(result)), resultHash: sha256(canonicalJson(result)) };
    const value = this.#sign(receiptStatement({ ...attempt, ...hashes, report }));
    return { ...report, signature: { version: 2, jobId, requestHash, ...hashes, value } };
  }

  /** Backends of earlier versions refuse a report that has more than the costs. */
  #first(attempt: Attempt, result: Fields, { usage, timing }: Fields): Fields {
    const { jobId, requestHash } = attempt;
    const report = { usage, timing };
    const resultHash = sha256(resultText(result, report));
    const value = this.#sign(resultStatement({ ...attempt, resultHash }));
    return { ...report, signature: { version: 1, jobId, requestHash, value } };
  }

  #sign(text: string): string {
    return sign(null, Buffer.from(text), this.#privateKey).toString("base64url");
  }
}

/** In lower-case hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
