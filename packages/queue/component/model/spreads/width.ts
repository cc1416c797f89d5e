/** Over how many slots jobs of one affinity are spread since when. */
export type Spread = { readonly width: number; readonly widenedAt: number };

/**
 * So many others of an affinity behind a job at its slot say that one slot is too few. With one, prefixes lie so far
 * apart in a large fleet that few devices come to hold what they are asked for: sim/README.md.
 */
export const widenAtBacklog = 2;
/** Twice as wide at most so often: it takes a while until those that were submitted before are gone. */
const widenEveryMs = 1_000;
/** Half as wide for each so long in which nobody had to widen it. */
export const halvedEveryMs = 60_000;
/** After so long any spread is as if there were none: 2 ** 14 slots are the most. */
export const forgottenAfterMs = 15 * halvedEveryMs;

/** Over how many slots of a lane jobs of an affinity are spread now. @param spread null: over one. */
export function widthAt(spread: Spread | null, slots: number, now: number): number {
  if (spread === null) return 1;
  const halvings = Math.max(0, Math.floor((now - spread.widenedAt) / halvedEveryMs));
  return Math.min(slots, Math.max(1, spread.width / 2 ** halvings));
}

/** What it is once it has to be wider; null where it is so wide already, or was widened just now. */
export function widerSpread(spread: Spread | null, slots: number, now: number): Spread | null {
  if (spread !== null && now - spread.widenedAt < widenEveryMs) return null;
  const width = widthAt(spread, slots, now);
  return width >= slots ? null : { width: 2 * width, widenedAt: now };
}

/**
 * How many jobs of the same lane and affinity stand before each in a submission: all at one slot, they would wait for
 * one worker. 0 for those without an affinity.
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
