import { entryAt } from "../entry-at.ts";

/** A seeded stream of choices. The same seed and the same calls give the same choices on every machine. */
export interface Random {
  /** The next number in [0, 1). */
  readonly next: () => number;
  /** A whole number from `low` to `high`, both included. */
  readonly integer: (low: number, high: number) => number;
  /** One entry; the list must not be empty. Always takes exactly one number from the stream. */
  readonly pick: <T>(entries: readonly T[]) => T;
  /** Returns true with this probability, 0 to 1. */
  readonly chance: (probability: number) => boolean;
  /** Up to `count` different entries, in random order. */
  readonly sample: <T>(entries: readonly T[], count: number) => T[];
}

/**
 * xorshift32 (Marsaglia, "Xorshift RNGs", 2003; shifts 13, 17, 5). The golden hashes of the corpus pin this stream. A
 * change of the generator, or of the order in which a task draws from it, makes a new corpus.
 */
export function createRandom(seed: number): Random {
  // Zero is the generator's fixed point and would give zeros forever.
  let state = seed >>> 0 || 1;

  const next = (): number => {
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return state / 2 ** 32;
  };
  const index = (length: number): number => Math.floor(next() * length);

  return {
    next,
    integer: (low, high) => low + index(high - low + 1),
    pick: (entries) => entryAt(entries, index(entries.length)),
    chance: (probability) => next() < probability,
    sample: (entries, count) => {
      const left = [...entries];
      const taken: typeof left = [];
      while (taken.length < count && left.length > 0) taken.push(...left.splice(index(left.length), 1));
      return taken;
    },
  };
}
