/** How long after the n-th crash in a row (n ≥ 1) no job is tried: a second, doubling, five minutes at most. */
export function crashBackoffMs(crashes: number): number {
  return Math.min(5 * 60_000, 1_000 * 2 ** (crashes - 1));
}
