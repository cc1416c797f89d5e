import { sha256 as digest } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * SHA-256 of a text's UTF-8 bytes, in lower-case hex. `crypto.subtle` exists only on https and localhost, but an
 * office may serve the console over plain http from another machine.
 */
export function sha256(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}
