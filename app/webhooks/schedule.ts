const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Pauses between the tries of a delivery: the schedule of Standard Webhooks. The last try is some three days after the first. */
export const retryPausesMs: readonly number[] = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  dayMs,
];

/** Each pause is up to this share longer, so that the tries of many deliveries spread. */
const jitter = 0.2;
/** A receiver that asks for a longer pause gets this one. */
const longestPauseMs = dayMs;

/** A webhook is disabled if nothing was delivered for this long, although there were tries. */
export const failsForMs = 5 * dayMs;

/** Deliveries are kept for this long. */
export const keptMs = 30 * dayMs;

/**
 * The time of the next try, in ms since the epoch; null after the last one.
 * @param tries tries that failed, at least 1.
 * @param askedMs the pause that the receiver asked for; null: none.
 * @param random from 0 to 1.
 */
export function nextTryAt(tries: number, askedMs: number | null, random: number, now: number): number | null {
  const pause = retryPausesMs[tries - 1];
  if (pause === undefined) return null;
  const spread = pause * (1 + jitter * random);
  return Math.round(now + Math.max(spread, Math.min(askedMs ?? 0, longestPauseMs)));
}

/** The pause of a Retry-After header, in ms; null without a header, or with one that cannot be read. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
