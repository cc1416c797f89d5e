import type { Policy } from "../../../shared/validators.ts";

/**
 * How long a job waits after a failure.
 * @param failures the number of failures so far, starting at 1.
 * @param random in [0, 1).
 * @returns whole milliseconds.
 */
export function retryAfter(policy: Required<Policy>, failures: number, random: number): number {
  const { firstMs, factor, maxMs, jitter } = policy.backoff;
  const wait = Math.min(maxMs, firstMs * factor ** Math.max(0, failures - 1));
  return Math.round(wait * (1 - jitter * random));
}
