/** Keys are asked for again after this time: a key that was withdrawn is not believed for longer. */
export const freshMs = 5 * 60_000;
/** While the issuer does not answer, the keys that are held go on being believed for this time. */
export const staleMs = 24 * 60 * 60_000;
/** After a failure the issuer is left alone for this time, and so is it between two tokens with unknown keys. */
export const retryAfterMs = 5_000;
export const unknownKeyRetryMs = 30_000;

export type KeyState = {
  /** When the keys that are held were fetched, in ms; null without any. */
  readonly fetchedAt: number | null;
  /** When the issuer was last asked in vain; null if the last answer was good. */
  readonly failedAt: number | null;
};

export type KeyStep = "use" | "fetch" | "unavailable";

/** What to do for a token: believe the keys that are held, fetch them first, or give up for now. */
export function nextKeyStep({ fetchedAt, failedAt }: KeyState, now: number): KeyStep {
  const age = fetchedAt === null ? Infinity : now - fetchedAt;
  if (age < freshMs) return "use";
  const askedJustNow = failedAt !== null && now - failedAt < retryAfterMs;
  if (!askedJustNow) return "fetch";
  return age < staleMs ? "use" : "unavailable";
}

/** Whether a token that names a key we do not hold is worth a question: anybody can make up such tokens. */
export function mayAskForUnknownKey({ fetchedAt, failedAt }: KeyState, now: number): boolean {
  const askedAt = Math.max(fetchedAt ?? 0, failedAt ?? 0);
  return now - askedAt >= unknownKeyRetryMs;
}
