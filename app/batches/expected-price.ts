import type { BatchStatus } from "./limits.ts";

type Progress = {
  readonly status: BatchStatus;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly priceMicro: bigint;
};

/**
 * Estimates the cost of a whole running batch, in micro-credits. It assumes that the other requests cost as much as those that have
 * ended.
 * @returns null before the first end, and for a batch that is not running.
 */
export function expectedPrice({ status, total, completed, failed, priceMicro }: Progress): bigint | null {
  const ended = completed + failed;
  if (status !== "in_progress" || ended === 0) return null;
  const all = BigInt(Math.max(total, ended));
  return (priceMicro * all + BigInt(ended) - 1n) / BigInt(ended);
}
