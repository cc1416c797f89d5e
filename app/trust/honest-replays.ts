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
  /** No limit: the share that is usual. */
  readonly usualMissShare: number;
};

/** The newest replays of a class, at most `mostKept` of each list, oldest first. */
export type HonestReplays = {
  /** Their mean regrets. */
  readonly regrets: readonly number[];
  /** The shares of misses in those with enough tokens. */
  readonly missShares: readonly number[];
};

export const noReplays: HonestReplays = { regrets: [], missShares: [] };

/** Before a class has this number of replays, the default limits hold. */
export const leastLearned = 50;
const mostKept = 200;
/** Shorter answers tell too little. */
const leastTokens = 8;
/** One miss in a shorter answer is a larger share than any limit. */
const leastTokensOfShare = 32;

/** Hold before anything is learned. They let through a coarser quantization, but neither noise nor another model. */
export const defaultLimits: Limits = { meanRegret: 0.05, missShare: 0.1, usualMissShare: 0 };

/**
 * Limits are never below these. Even one kind of computer differs from itself: it reads an answer in larger batches than it
 * wrote it in.
 */
const leastLimits = { meanRegret: 0.01, missShare: 0.04 };
/** How many spreads a limit is above the median. The spread is that of the middle half, and honest answers have a long tail. */
const spreads = 8;

/** The record with one more replay. Answers that were found to be wrong do not belong here. */
export function withReplay(honest: HonestReplays, { tokens, regret, misses }: Replay): HonestReplays {
  if (tokens < leastTokens) return honest;
  const { regrets, missShares } = honest;
  return {
    regrets: [...regrets, regret / tokens].slice(-mostKept),
    missShares: tokens < leastTokensOfShare ? missShares : [...missShares, misses / tokens].slice(-mostKept),
  };
}

/**
 * The limits of a class. They rest on the middle half of the replays only, so up to a fourth of them may be of dishonest devices
 * that were not found yet. Learned limits are never above the default ones.
 */
export function limitsOf({ regrets, missShares }: HonestReplays): Limits {
  const meanRegret = learnedFrom(regrets);
  const missShare = learnedFrom(missShares);
  const within = (limit: number, least: number, most: number): number =>
    Math.min(most, Math.max(least, limit));
  return {
    meanRegret:
      meanRegret === null
        ? defaultLimits.meanRegret
        : within(meanRegret.limit, leastLimits.meanRegret, defaultLimits.meanRegret),
    missShare:
      missShare === null
        ? defaultLimits.missShare
        : within(missShare.limit, leastLimits.missShare, defaultLimits.missShare),
    usualMissShare: missShare?.usual ?? defaultLimits.usualMissShare,
  };
}

/** The median of values, and a limit that hardly one is above. Null: there are too few. */
function learnedFrom(values: readonly number[]): { readonly usual: number; readonly limit: number } | null {
  if (values.length < leastLearned) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const usual = at(0.5);
  return { usual, limit: usual + spreads * (at(0.75) - usual) };
}
