import type { Replay } from "./replay.ts";

/*
 * The limits of honest answers, learned from replays. Computers of two kinds compute slightly different probabilities, so each pair of
 * kinds has its own limits for each model's file. A file has one quantization.
 */

/** The class of a replay: the model's file and the kinds of both computers, in any order. */
export function replayClass(sha256: string, worker: string, checker: string): string {
  return [sha256, ...[worker, checker].toSorted()].join(" ");
}

/** The upper limits of honest answers. */
export type Limits = {
  /** The mean regret of a token. */
  readonly meanRegret: number;
  /** The share of tokens that are misses. */
  readonly missShare: number;
};

/** The last replays of a class, by their mean regret. */
export type HonestReplays = {
  /** The mean regrets of the newest ones, at most `mostKept`, oldest first. */
  readonly regrets: readonly number[];
};

export const noReplays: HonestReplays = { regrets: [] };

/** Before a class has this number of replays, the default limits hold. */
export const leastLearned = 50;
const mostKept = 200;
/** Shorter answers tell too little. */
const leastTokens = 8;

/** Hold before anything is learned. They let through a coarser quantization, but neither noise nor another model. */
export const defaultLimits: Limits = { meanRegret: 0.05, missShare: 0.1 };

/**
 * Limits are never below these. Even one kind of computer differs from itself: it reads an answer in larger batches than it
 * wrote it in.
 */
const leastLimits: Limits = { meanRegret: 0.01, missShare: 0.04 };
/** How many spreads a limit is above the median. The spread is that of the middle half, and honest answers have a long tail. */
const spreads = 8;

/** The record with one more replay. Answers that were found to be wrong do not belong here. */
export function withReplay(honest: HonestReplays, { tokens, regret }: Replay): HonestReplays {
  if (tokens < leastTokens) return honest;
  return { regrets: [...honest.regrets, regret / tokens].slice(-mostKept) };
}

/**
 * The limits of a class. They rest on the middle half of the replays only, so up to a fourth of them may be of dishonest devices
 * that were not found yet. Learned limits are never above the default ones.
 */
export function limitsOf({ regrets }: HonestReplays): Limits {
  if (regrets.length < leastLearned) return defaultLimits;
  const sorted = regrets.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const usual = at(0.5) + spreads * (at(0.75) - at(0.5));
  const within = (least: number, most: number): number => Math.min(most, Math.max(least, usual));
  return {
    meanRegret: within(leastLimits.meanRegret, defaultLimits.meanRegret),
    missShare: within(leastLimits.missShare, defaultLimits.missShare),
  };
}
