import { createHash, randomBytes } from "node:crypto";
import { enrollmentCodeOf } from "../../app/format/secrets.ts";

/** A secret of 256 random bits. People and secret scanners recognize its kind by the prefix. */
export function makeSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** The SHA-256 of a secret, in hex: the backend stores this instead. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

export function makeEnrollmentCode(): string {
  return enrollmentCodeOf(randomBytes(12));
}
