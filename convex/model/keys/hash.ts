import { refuse } from "../refuse.ts";

/** SHA-256 of a secret, in hex: all that the database ever holds of it. Secrets have 256 random bits, so no salt. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A hash that a caller made of a secret which it kept to itself. */
export function checkedHash(hash: string, what: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) refuse("invalid", `${what} must be a SHA-256 in lower-case hex.`);
  return hash;
}
