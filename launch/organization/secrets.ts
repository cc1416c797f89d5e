import { createHash, randomBytes } from "node:crypto";

/** A secret of 256 random bits with a prefix that tells people and secret scanners what it is. */
export function makeSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** What the backend stores instead of a secret: its SHA-256, in hex. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An enrolment code that a person can read out: GLN-XXXX-XXXX-XXXX, 60 random bits. */
export function makeEnrolmentCode(): string {
  const letters = [...randomBytes(12)].map((byte) => crockford.charAt(byte % 32)).join("");
  return `GLN-${letters.slice(0, 4)}-${letters.slice(4, 8)}-${letters.slice(8)}`;
}
