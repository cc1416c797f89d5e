import type { Policy } from "../validators.ts";
import { boundedInteger, boundedNumber, farthestMs } from "./bounds.ts";

const yearMs = 366 * 24 * 3_600_000;

/** Refuses a policy of a job, or of the settings, that is out of bounds. */
export function checkPolicy(policy: Policy): void {
  const { maxFailures, backoff, payloadKeptMs, chunksKeptMs, recordKeptMs } = policy;
  if (maxFailures !== undefined) boundedInteger(maxFailures, "policy.maxFailures", 1, 1_000);
  if (backoff !== undefined) {
    boundedNumber(backoff.firstMs, "policy.backoff.firstMs", 0, yearMs);
    boundedNumber(backoff.factor, "policy.backoff.factor", 1, 100);
    boundedNumber(backoff.maxMs, "policy.backoff.maxMs", 0, yearMs);
    boundedNumber(backoff.jitter, "policy.backoff.jitter", 0, 1);
  }
  if (chunksKeptMs !== undefined) boundedNumber(chunksKeptMs, "policy.chunksKeptMs", 0, farthestMs);
  const kept = { payloadKeptMs, recordKeptMs };
  for (const [name, ms] of Object.entries(kept)) {
    if (ms !== undefined) boundedNumber(ms, `policy.${name}`, 0, 10 * yearMs);
  }
}
