import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import type { JSONValue } from "convex/values";
import { emptyKey, type Key, keyFromBytes, keyToBytes } from "../../values/keys/key.ts";
import { SyscallError } from "../execution/syscall-error.ts";

/** The end of a page: after the document with this index key, or at the end of the query's range. */
export type CursorPosition = { readonly kind: "after"; readonly key: Key } | { readonly kind: "end" };

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const queryBytes = 16;
const positionEnd = 0;
const positionAfter = 1;

/**
 * Seals cursors. The page's reader may not be allowed to see the field values of an index key. So a cursor is
 * encrypted, authenticated and bound to its query.
 */
export class CursorSealer {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", "pagination cursors", keyBytes));
  }

  seal(position: CursorPosition, query: JSONValue): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(fingerprint(query));
    const place = Uint8Array.of(position.kind === "end" ? positionEnd : positionAfter);
    const key = keyToBytes(position.kind === "end" ? emptyKey : position.key);
    const sealed = Buffer.concat([cipher.update(place), cipher.update(key), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Throws a SyscallError whose message begins with "InvalidCursor". Clients then start over. */
  open(cursor: string, query: JSONValue): CursorPosition {
    const bytes = Buffer.from(cursor, "base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce);
      decipher.setAAD(fingerprint(query)).setAuthTag(tag);
      const sealed = bytes.subarray(nonceBytes + tagBytes);
      const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
      if (plain[0] === positionEnd) return { kind: "end" };
      return { kind: "after", key: keyFromBytes(plain.subarray(1)) };
    } catch {
      throw new SyscallError(
        "InvalidCursor: Tried to run a query starting from a cursor, but it looks like this cursor is from a " +
          "different query.",
      );
    }
  }
}

function fingerprint(query: JSONValue): Buffer {
  return createHash("sha256").update(JSON.stringify(query)).digest().subarray(0, queryBytes);
}
