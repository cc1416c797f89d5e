/** The number of slots that an affinity is spread over, and since when. */
export type Spread = { readonly width: number; readonly widenedAt: number };

/**
 * With this many more jobs of an affinity at its slot, one slot is too few. A value of one would spread prefixes so far
 * in a large fleet that devices rarely have them cached: sim/README.md.
 */
export const widenAtBacklog = 2;
/** The shortest time between two widenings. Jobs that were submitted before need time to finish. */
const widenEveryMs = 1_000;
/** The width halves after this time without a widening. */
export const halvedEveryMs = 60_000;
/** After this time every spread is back to one slot, since 2 ** 14 slots are the most. */
export const forgottenAfterMs = 15 * halvedEveryMs;

/** The current number of slots that an affinity is spread over. @param spread null: one slot. */
export function widthAt(spread: Spread | null, slots: number, now: number): number {
  if (spread === null) return 1;
  const halvings = Math.max(0, Math.floor((now - spread.widenedAt) / halvedEveryMs));
  return Math.min(slots, Math.max(1, spread.width / 2 ** halvings));
}

/** The widened spread; null if it has its full width, or was just widened. */
export function widerSpread(spread: Spread | null, slots: number, now: number): Spread | null {
  if (spread !== null && now - spread.widenedAt < widenEveryMs) return null;
  const width = widthAt(spread, slots, now);
  return width >= slots ? null : { width: 2 * width, widenedAt: now };
}

/**
 * For each job of a submission, the number of jobs with the same lane and affinity before it. At one slot they would
 * all wait for one worker. 0 without an affinity.
 */
export function ordinalsOf(
  jobs: readonly { readonly lane: string; readonly affinity: string | undefined }[],
): readonly number[] {
  const seen = new Map<string, number>();
  return jobs.map(({ lane, affinity }) => {
    if (affinity === undefined) return 0;
    const key = JSON.stringify([lane, affinity]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before;
  });
}
