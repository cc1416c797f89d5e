import { ConvexError } from "convex/values";

/** The refusals that a caller meets as a ConvexError's data. */
export type RefusalCode =
  | "unauthorized"
  | "revoked"
  | "not_found"
  | "invalid"
  | "quota_exceeded"
  | "too_large"
  | "context_length_exceeded"
  | "model_not_found"
  | "conflict"
  | "rate_limited"
  | "queue_full"
  | "draining";

export type Refusal = {
  code: RefusalCode;
  message: string;
  /** When asking again may help, in ms. */
  retryAfterMs?: number;
};

/** Ends the call with a refusal that the client can read. Nothing of the transaction is kept. */
export function refuse(code: RefusalCode, message: string): never {
  throw new ConvexError<Refusal>({ code, message });
}

/** Ends the call with a refusal for now. `retryAfterMs`: when asking again may help. */
export function refuseUntil(
  code: "rate_limited" | "queue_full" | "draining",
  why: string,
  retryAfterMs: number,
): never {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${why} Try again in ${String(seconds)} ${seconds === 1 ? "second" : "seconds"}.`;
  throw new ConvexError<Refusal>({ code, message, retryAfterMs });
}

/** Text from outside: trimmed, not empty, bounded. */
export function boundedText(value: string, what: string, maxChars: number): string {
  const trimmed = value.trim();
  if (trimmed === "") refuse("invalid", `${what} must not be empty.`);
  if (trimmed.length > maxChars)
    refuse("invalid", `${what} must have at most ${String(maxChars)} characters.`);
  return trimmed;
}

/** A whole number from outside, within bounds. */
export function boundedInteger(value: number, what: string, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    refuse("invalid", `${what} must be a whole number from ${String(min)} to ${String(max)}.`);
  }
  return value;
}

/** Refuses text with half a surrogate pair in it: it has no UTF-8, and would come out as something else. */
export function wellFormed(text: string, what: string): void {
  if (/\p{Surrogate}/u.test(text)) refuse("invalid", `${what} must be well-formed Unicode.`);
}
