import { enrollmentCodeOf } from "../../../app/format/secrets.ts";

/** `prefix` and 256 random bits, in base64url. */
export function makeSecret(prefix: "gs_" | "gi_" | "gm_" | "sk-gleaner-"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = btoa(String.fromCharCode(...bytes));
  return prefix + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function makeEnrollmentCode(): string {
  return enrollmentCodeOf(crypto.getRandomValues(new Uint8Array(12)));
}
