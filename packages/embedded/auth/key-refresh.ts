/** Keys are fetched again after this time, in ms, so a withdrawn key is not accepted for longer. */
export const freshMs = 5 * 60_000;
/** While the issuer does not answer, known keys stay valid for this time, in ms. */
export const staleMs = 24 * 60 * 60_000;
/** Delay in ms after a failed fetch, and between two fetches for unknown keys. */
export const retryAfterMs = 5_000;
export const unknownKeyRetryMs = 30_000;

type KeyState = {
  /** When the known keys were fetched, in ms; null without keys. */
  readonly fetchedAt: number | null;
  /** When the last fetch failed; null if it succeeded. */
  readonly failedAt: number | null;
};

type KeyStep = "use" | "fetch" | "unavailable";

/** The next step for a token: use the known keys, fetch them first, or give up for now. */
export function nextKeyStep({ fetchedAt, failedAt }: KeyState, now: number): KeyStep {
  const age = fetchedAt === null ? Infinity : now - fetchedAt;
  if (age < freshMs) return "use";
  const askedJustNow = failedAt !== null && now - failedAt < retryAfterMs;
  if (!askedJustNow) return "fetch";
  return age < staleMs ? "use" : "unavailable";
}

/** Whether to fetch keys for a token with an unknown key. Limited, because anybody can make up such tokens. */
export function mayFetchForUnknownKey({ fetchedAt, failedAt }: KeyState, now: number): boolean {
  const askedAt = Math.max(fetchedAt ?? 0, failedAt ?? 0);
  return now - askedAt >= unknownKeyRetryMs;
}
