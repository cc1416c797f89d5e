/** A job that waits for its turn, or that has begun. `key`: what has to be loaded for it. */
export type InLine = { readonly key: string };

/**
 * How many of the jobs that wait, from the first one on, may begin now. Those of the model that is in memory run side
 * by side, as many as it holds. One of another model waits until none runs, and those behind it wait with it: so every
 * model gets its turn.
 */
export function mayBegin(
  waiting: readonly InLine[],
  running: readonly InLine[],
  loaded: { readonly key: string; readonly sequences: number } | null,
): number {
  const [first] = waiting;
  if (first === undefined) return 0;
  // Until it is known how many the next model holds, one alone begins: its load says so.
  if (loaded === null || loaded.key !== first.key) return running.length === 0 ? 1 : 0;
  if (running.some(({ key }) => key !== loaded.key)) return 0;
  const others = waiting.findIndex(({ key }) => key !== loaded.key);
  const alike = others === -1 ? waiting.length : others;
  return Math.max(0, Math.min(alike, loaded.sequences - running.length));
}
