import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** A key of 64 bytes: one half encrypts, the other one makes nonces. */
export const keyBytes = 64;

const nonceBytes = 24;
const tagBytes = 16;

/**
 * Encrypts bytes with XChaCha20-Poly1305. The nonce is a hash of the text itself, by a key of its own. So it needs no random
 * numbers, which are seeded in mutations, where a repeated run could use a nonce again for another text. Equal texts have equal
 * ciphertexts.
 * @param purpose bound to the ciphertext: one that was moved to another place does not open.
 */
export function encrypt(key: Uint8Array, text: Uint8Array, purpose: Uint8Array): Uint8Array {
  const nonce = hmac
    .create(sha256, key.subarray(32, keyBytes))
    .update(Uint8Array.of(purpose.length))
    .update(purpose)
    .update(text)
    .digest()
    .subarray(0, nonceBytes);
  const sealed = xchacha20poly1305(key.subarray(0, 32), nonce, purpose).encrypt(text);
  const all = new Uint8Array(nonceBytes + sealed.length);
  all.set(nonce);
  all.set(sealed, nonceBytes);
  return all;
}

/** The text of a ciphertext. Null if another key or another purpose made it, or if it was changed. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, purpose: Uint8Array): Uint8Array | null {
  if (sealed.length < nonceBytes + tagBytes) return null;
  try {
    const cipher = xchacha20poly1305(key.subarray(0, 32), sealed.subarray(0, nonceBytes), purpose);
    return cipher.decrypt(sealed.subarray(nonceBytes));
  } catch {
    return null;
  }
}
