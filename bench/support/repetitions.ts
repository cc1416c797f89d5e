/**
 * Counts from 0 up to `most` repetitions of a measurement. On a slow machine it stops early, after at least `least`
 * repetitions, if one more would probably end later than `withinMs` after the start.
 */
export function* repetitions(
  most: number,
  withinMs: number,
  { least = 1, now = () => performance.now() }: { readonly least?: number; readonly now?: () => number } = {},
): Generator<number, void> {
  const startedAt = now();
  for (let index = 0; index < most; index += 1) {
    const tookMs = now() - startedAt;
    if (index >= least && tookMs + tookMs / index > withinMs) return;
    yield index;
  }
}
