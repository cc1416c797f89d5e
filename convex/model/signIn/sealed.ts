import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { refuse } from "../refuse.ts";
import { base64urlOf, bytesOf } from "../signatures.ts";

declare const process: { readonly env: { readonly GLEANER_SECRETS_KEY?: string } };

const nonceBytes = 24;
const sealedPrefix = "sealed1.";
const plainPrefix = "plain.";

/** The deployment's key for secrets of others, or null without one. Refuses (invalid) a malformed one. */
function sealingKey(): Uint8Array | null {
  const { GLEANER_SECRETS_KEY: key } = process.env;
  if (key === undefined || key === "") return null;
  if (/^[A-Za-z0-9_-]{43}$/.test(key)) return bytesOf(key);
  return refuse("invalid", "GLEANER_SECRETS_KEY must be 32 random bytes in base64url: 43 characters.");
}

/**
 * A secret as it is stored: encrypted if the deployment has a key. Call it in actions: the random numbers of mutations are
 * seeded. Convex's runtime has no `encrypt`, so the cipher is a library's, and only actions load it.
 * @param purpose bound to the text: a secret that was moved to another place does not open.
 */
export function seal(secret: string, purpose: string): string {
  const key = sealingKey();
  if (key === null) return plainPrefix + secret;
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const text = xchacha20poly1305(key, nonce, bytesOfText(purpose)).encrypt(bytesOfText(secret));
  return sealedPrefix + base64urlOf(Uint8Array.from([...nonce, ...text]));
}

/** The secret of a stored text. Refuses (conflict) if the deployment's key is not the one that sealed it. */
export function unseal(stored: string, purpose: string): string {
  if (stored.startsWith(plainPrefix)) return stored.slice(plainPrefix.length);
  const key = sealingKey();
  const bytes = bytesOf(stored.slice(sealedPrefix.length));
  try {
    if (key === null) throw new Error("no key");
    const cipher = xchacha20poly1305(key, bytes.subarray(0, nonceBytes), bytesOfText(purpose));
    return new TextDecoder().decode(cipher.decrypt(bytes.subarray(nonceBytes)));
  } catch {
    return refuse(
      "conflict",
      "GLEANER_SECRETS_KEY is not the key that sealed this secret. Enter the secret anew.",
    );
  }
}

function bytesOfText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
