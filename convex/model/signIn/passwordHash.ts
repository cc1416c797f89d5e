import { passwordChars } from "../../../app/people/passwords.ts";
import { base64urlOf, bytesOf } from "../signatures.ts";

/** As OWASP advises for PBKDF2 with SHA-256. Each hash stores its own count, so this number may grow. */
const iterations = 600_000;
const saltBytes = 16;
const noSalt = base64urlOf(new Uint8Array(saltBytes));

/**
 * Hashes a password with PBKDF2 and a random salt. Call it in actions: the random numbers of mutations are seeded. Web Crypto
 * computes it outside of JavaScript, so other calls go on. Convex's runtime has no scrypt and no Argon2.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
  const key = base64urlOf(await derive(password, salt, iterations));
  return ["pbkdf2-sha256", String(iterations), base64urlOf(salt), key].join("$");
}

/** Whether the password has this hash. Without a hash the answer is false, and takes as long. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > passwordChars.max) return false;
  const [, count = String(iterations), salt = noSalt, expected = ""] = stored?.split("$") ?? [];
  const derived = await derive(password, bytesOf(salt), Number(count));
  return isEqual(derived, bytesOf(expected));
}

async function derive(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  rounds: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(password.normalize("NFKC"));
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}

/** Compares in a time that does not depend on the place of the first difference. */
function isEqual(derived: Uint8Array, expected: Uint8Array): boolean {
  const difference = derived.reduce((sum, byte, at) => sum | (byte ^ (expected[at] ?? 0)), 0);
  return difference === 0 && derived.length === expected.length;
}
