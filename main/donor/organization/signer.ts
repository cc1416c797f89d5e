import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Handler } from "@gleaner/queue/worker";
import type { Value } from "convex/values";
import { isRecord } from "../../../app/json.ts";
import { canonicalJson } from "../../../app/signatures/canonical-json.ts";
import { deviceKeyStatement, resultStatement, resultText } from "../../../app/signatures/statements.ts";

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

  /** Wraps a job's handler: its report gets the signature of the result. @param deviceId the organization's id of it. */
  signed(handler: Handler, deviceId: () => string): Handler {
    return async (payload, ctx) => {
      let report: unknown;
      const result = await handler(payload, {
        ...ctx,
        report: (facts) => {
          report = facts;
        },
      });
      if (!isRecord(report)) return result;
      const { attemptId, jobId } = ctx;
      const requestHash = sha256(canonicalJson(payload));
      const resultHash = sha256(resultText(result, report));
      const claim = { deviceId: deviceId(), attemptId, jobId, requestHash, resultHash };
      const signature = { version: 1, jobId, requestHash, value: this.#sign(resultStatement(claim)) };
      ctx.report({ ...(report as Record<string, Value>), signature });
      return result;
    };
  }

  #sign(text: string): string {
    return sign(null, Buffer.from(text), this.#privateKey).toString("base64url");
  }
}

/** In lower-case hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
