import type { Limits } from "./honest-replays.ts";
import type { Replay } from "./replay.ts";
import { usualExcess } from "./standing.ts";

/**
 * The result of a replay. `fits`: an honest device writes such an answer. `mismatch`: none does. `unclear`: it is odd, but too short
 * or too close to the limit to accuse anybody.
 */
export type Verdict = "fits" | "unclear" | "mismatch";

/** A single odd token accuses nobody, however short the answer is. In long answers honest devices have more of them. */
const leastMisses = 3;
const leastMissShare = 0.01;
/**
 * Misses are counted, so their number varies by its square root. This many square roots above the usual number, one honest answer in
 * thousands has more.
 */
const missSpreads = 4;
/** Counts as so many tokens that fit, so that short answers need more misses. */
const addedTokens = 4;

/** How far an answer is from an honest one: 0 is none, and more than 1 is beyond the limit. */
export function excessOf({ tokens, regret }: Replay, { meanRegret }: Limits): number {
  return regret / (tokens + addedTokens) / meanRegret;
}

/** Judges one replay by the limits of its class. */
export function verdictOf(replay: Replay, limits: Limits): Verdict {
  const { misses, tokens } = replay;
  const usual = limits.usualMissShare * tokens;
  const least = Math.max(leastMisses + leastMissShare * tokens, usual + missSpreads * Math.sqrt(usual));
  const isOdd = excessOf(replay, limits) > 1 || misses > limits.missShare * (tokens + addedTokens);
  if (!isOdd) return "fits";
  return misses >= least ? "mismatch" : "unclear";
}

/**
 * Judges an answer of a device whose answers are all a little odd. Several checkers found that already, so the next one has to say
 * only whether this answer is odd, too.
 */
export function seriesVerdictOf(replay: Replay, limits: Limits): Verdict {
  return excessOf(replay, limits) > usualExcess ? "mismatch" : "fits";
}
