import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { JSONValue } from "convex/values";
import { RandomPool } from "../../values/random-pool.ts";
import type { SessionRequest } from "../contract/function-runner.ts";

const cipherName = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals the values of mutations that are kept for clients which call again. An app may encrypt what it stores, and return it in plain
 * text. So these values are never plain in the file, nor in a backup of it.
 */
export class AnswerSeal {
  /** Not its bytes: Node would make a key of them for each value, which takes longer than the encryption. */
  readonly #key: KeyObject;
  readonly #nonces = new RandomPool(nonceBytes);

  constructor(secret: string) {
    const key = hkdfSync("sha256", secret, "", "values of mutations", keyBytes);
    this.#key = createSecretKey(new Uint8Array(key));
  }

  /** A value as it is stored: null as it is, anything else as base64url. */
  seal(value: JSONValue, request: SessionRequest): string | null {
    if (value === null) return null;
    const nonce = this.#nonces.next();
    const cipher = createCipheriv(cipherName, this.#key, nonce).setAAD(nameOf(request));
    const sealed = [cipher.update(JSON.stringify(value), "utf8"), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString("base64url");
  }

  /** The value of a request. Undefined if another secret sealed it. */
  open(stored: unknown, request: SessionRequest): JSONValue | undefined {
    if (stored === null) return null;
    if (typeof stored !== "string") return undefined;
    const bytes = Buffer.from(stored, "base64url");
    const [nonce, sealed] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes + tagBytes)];
    try {
      const decipher = createDecipheriv(cipherName, this.#key, nonce)
        .setAAD(nameOf(request))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const text = Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
      return JSON.parse(text) as JSONValue;
    } catch {
      return undefined;
    }
  }
}

/** Bound to the value, so that the value of another request does not open. */
function nameOf({ sessionId, requestId }: SessionRequest): Buffer {
  return Buffer.from(JSON.stringify([sessionId, requestId]));
}
