import type { Usage } from "../jobs/chat.ts";

/** Classes of shares: class k has the shares up to 2^(-k/4). The last one has all that are smaller. */
const lastClass = 24;
/** No reservation has less of its bound: the class of an eighth. */
const leastHeld = 12;
/** About so many of the last jobs count. Older ones fade. */
const remembered = 512;
/** Fewer jobs tell nothing. */
const leastSeen = 60;
/** At most this part of the jobs may use more than their reservation. */
const rareShare = 0.02;
/** Reservations together are this much larger than a usual sum: so rare long answers are covered by the others. */
const margin = 1.25;

/**
 * A reservation has the likely price only if the key has credits for so many highest prices. So a few long answers at the same time never
 * find it without credits, and its last credits are reserved as if every answer were as long as it may be.
 */
export const cushion = 4n;

/** How many jobs used which class of their bound, from the largest. Counts fade, so they are no integers. */
export type ShareCounts = readonly number[];

export const noShares: ShareCounts = Array.from({ length: lastClass + 1 }, () => 0);

/** The largest share of a class. */
export function shareOf(shareClass: number): number {
  return 2 ** (-shareClass / 4);
}

/** The class of a share, whose largest share is not smaller. */
function classOf(share: number): number {
  if (share <= 0) return lastClass;
  return Math.max(0, Math.min(lastClass, Math.floor(-4 * Math.log2(share))));
}

/** Counts one more job. @param used the part of `bound` that it used, in tokens. */
export function addShare(counts: ShareCounts, used: number, bound: number): ShareCounts {
  const added = classOf(bound <= 0 ? 0 : used / bound);
  const sum = totalOf(counts);
  const fade = sum >= remembered ? (remembered - 1) / sum : 1;
  return counts.map((count, index) => count * fade + (index === added ? 1 : 0));
}

/**
 * The class of the share that a reservation needs: a high quantile of what was used, and more than the mean. 0, the whole bound, until
 * enough jobs were seen.
 */
export function likelyClass(counts: ShareCounts): number {
  const total = totalOf(counts);
  if (total < leastSeen) return 0;
  let seen = 0;
  const quantile = counts.findIndex((count) => (seen += count) > total * rareShare);
  const mean = counts.reduce((sum, count, index) => sum + count * shareOf(index), 0) / total;
  return Math.min(quantile, classOf(Math.min(1, margin * mean)), leastHeld);
}

/** A reservation rises at once, and falls only for a clear change: so it is seldom written. */
export function nextClass(before: number, wanted: number): number {
  return wanted < before || wanted > before + 1 ? wanted : before;
}

/** Jobs with such a bound count together: clients whose limits differ much expect different answers. */
export function boundClassOf(completionTokens: number): number {
  return Math.ceil(Math.log2(Math.max(1, completionTokens)));
}

/** The classes of the shares of the prompt and of the answer that jobs like this one usually use. */
export type LikelyShares = { readonly prompt: number; readonly answer: number };

/** Class 0: the whole bound. */
export const wholeBound: LikelyShares = { prompt: 0, answer: 0 };

/**
 * The tokens that a reservation has. At least an eighth of the bound, so that answers never cost more than eight times what a key
 * had, however much they change.
 * @param most the bound of the tokens that are paid.
 * @param promptTokens an estimate from the prompt's bytes.
 */
export function heldTokens(most: Usage, likely: LikelyShares, promptTokens: number): Usage {
  const part = (bound: number, shareClass: number): number => Math.ceil(bound * shareOf(shareClass));
  return {
    promptTokens: Math.min(most.promptTokens, Math.max(promptTokens, part(most.promptTokens, likely.prompt))),
    completionTokens: Math.min(most.completionTokens, part(most.completionTokens, likely.answer)),
  };
}

function totalOf(counts: ShareCounts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
