import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";
import type { JSONValue } from "convex/values";
import { emptyKey, type Key, keyFromBytes, keyToBytes } from "../../values/keys/key.ts";
import { SyscallError } from "../execution/syscall-error.ts";

/** The end of a page: after the document with this index key, or at the end of the query's range. */
export type CursorPosition = { readonly kind: "after"; readonly key: Key } | { readonly kind: "end" };

const keyBytes = 32;
const tagBytes = 16;
const queryBytes = 16;
const cipherName = "aes-256-ctr";
const positionEnd = 0;
const positionAfter = 1;

/**
 * Seals cursors. The page's reader may not be allowed to see the field values of an index key. So a cursor is
 * encrypted, authenticated and bound to its query. Equal positions have equal cursors, as on Convex, so that clients
 * with equal pages ask the same query. Therefore a cursor's authentication tag is also its initialization vector.
 */
export class CursorSealer {
  readonly #encryptionKey: Uint8Array;
  readonly #tagKey: Uint8Array;

  constructor(secret: string) {
    const derive = (purpose: string) => new Uint8Array(hkdfSync("sha256", secret, "", purpose, keyBytes));
    this.#encryptionKey = derive("pagination cursors");
    this.#tagKey = derive("pagination cursors' tags");
  }

  seal(position: CursorPosition, query: JSONValue): string {
    const place = Uint8Array.of(position.kind === "end" ? positionEnd : positionAfter);
    const key = keyToBytes(position.kind === "end" ? emptyKey : position.key);
    const plain = Buffer.concat([fingerprint(query), place, key]);
    const tag = this.#tagOf(plain);
    const cipher = createCipheriv(cipherName, this.#encryptionKey, tag);
    return Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString("base64url");
  }

  /** Throws a SyscallError whose message begins with "InvalidCursor". Clients then start over. */
  open(cursor: string, query: JSONValue): CursorPosition {
    const plain = this.#decrypt(Buffer.from(cursor, "base64url"));
    if (plain === null) throw new SyscallError("InvalidCursor: Failed to parse cursor");
    if (!plain.subarray(0, queryBytes).equals(fingerprint(query))) {
      throw new SyscallError(
        "InvalidCursor: Tried to run a query starting from a cursor, but it looks like this cursor is from a " +
          "different query.",
        { isConvexSystemError: true, paginationError: "InvalidCursor" },
      );
    }
    if (plain[queryBytes] === positionEnd) return { kind: "end" };
    return { kind: "after", key: keyFromBytes(plain.subarray(queryBytes + 1)) };
  }

  /** Null if this sealer has not made the bytes. */
  #decrypt(bytes: Buffer): Buffer | null {
    if (bytes.length <= tagBytes + queryBytes) return null;
    const tag = bytes.subarray(0, tagBytes);
    const decipher = createDecipheriv(cipherName, this.#encryptionKey, tag);
    const plain = Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]);
    return timingSafeEqual(this.#tagOf(plain), tag) ? plain : null;
  }

  #tagOf(plain: Uint8Array): Buffer {
    return createHmac("sha256", this.#tagKey).update(plain).digest().subarray(0, tagBytes);
  }
}

function fingerprint(query: JSONValue): Buffer {
  return createHash("sha256").update(JSON.stringify(query)).digest().subarray(0, queryBytes);
}
