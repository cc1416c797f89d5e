/** A sequence of the context that no job uses. */
export type FreeSequence = {
  /** How many tokens of the prompt it holds already, from the first one on. */
  readonly shared: number;
  /** Tokens that it holds. */
  readonly held: number;
  /** When a job last used it; -1 for never. */
  readonly usedAt: number;
};

/** Every prompt of a model begins with a few tokens of its template: those are not worth losing a long prompt for. */
const worthKeeping = 24;

/**
 * Which sequence a prompt should go into: the one that has most of it, else the one whose loss costs least: an empty
 * one, or the one that was not used for longest. Returns its index, -1 where there is none.
 */
export function chooseSequence(free: readonly FreeSequence[]): number {
  const best = indexOfLeast(free, (sequence) => -sequence.shared);
  const sharedMost = free[best]?.shared ?? 0;
  if (sharedMost >= worthKeeping) return best;
  return indexOfLeast(free, ({ held, usedAt }) => (held === 0 ? -2 : usedAt));
}

function indexOfLeast(free: readonly FreeSequence[], value: (sequence: FreeSequence) => number): number {
  let best = -1;
  let least = Infinity;
  free.forEach((sequence, index) => {
    const each = value(sequence);
    if (each < least) [best, least] = [index, each];
  });
  return best;
}
