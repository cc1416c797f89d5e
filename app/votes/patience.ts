/** A further vote may always come so much later than the first answer, in ms. */
export const leastLateVotesMs = 2_000;
const most = 30_000;

/**
 * How long a call waits for further votes once it has the first answer, in ms: as long as that one took, within bounds. A slow device
 * must not hold up an answer that is there.
 * @param tookMs how long the first answer took.
 */
export function lateVotesMs(tookMs: number): number {
  return Math.min(most, Math.max(leastLateVotesMs, tookMs));
}

/** A larger model whose devices are all busy or away is not waited for: its job needs a device within this time, in ms. */
export const largerStartsWithinMs = 30_000;

/** The pauses in which a call looks for idle devices again, in ms. Each is twice as long as the one before. */
export const idlePauseMs = { first: 500, most: 8_000 } as const;
