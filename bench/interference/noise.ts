import { median, quantile } from "../support/statistics.ts";

const draws = 2_000;
const confidence = 0.95;

/**
 * The slowdown in percent that the worst task would show by chance, without any donor: 19 of 20 such runs stay below.
 * Each task has the ratios of its pairs without a donor. Such a pair could as well have had the opposite order, so the
 * draws take random pairs in random order, and as many as the figure has (`pairs`).
 */
export function noisePercent(
  tasks: readonly (readonly number[])[],
  pairs: number,
  random: () => number = seeded(1),
): number {
  const drawn = (ratios: readonly number[]): number => {
    const ratio = ratios[Math.floor(random() * ratios.length)] ?? 1;
    return random() < 0.5 ? ratio : 1 / ratio;
  };
  const worst = Array.from({ length: draws }, () =>
    Math.max(...tasks.map((ratios) => median(Array.from({ length: pairs }, () => drawn(ratios))))),
  );
  return (quantile(worst, confidence) - 1) * 100;
}

/** A generator of numbers from 0 to 1 (mulberry32), so that the same pairs always give the same noise. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
