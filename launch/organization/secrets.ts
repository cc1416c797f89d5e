import { createHash, randomBytes } from "node:crypto";

/** A secret of 256 random bits. People and secret scanners recognize its kind by the prefix. */
export function makeSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** The SHA-256 of a secret, in hex: the backend stores this instead. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An enrollment code that a person can read aloud: GLN-XXXX-XXXX-XXXX, 60 random bits. */
export function makeEnrollmentCode(): string {
  const letters = [...randomBytes(12)].map((byte) => crockford.charAt(byte % 32)).join("");
  return `GLN-${letters.slice(0, 4)}-${letters.slice(4, 8)}-${letters.slice(8)}`;
}
