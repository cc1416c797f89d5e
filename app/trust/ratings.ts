import type { DisputeState, Rating } from "../jobs/rating.ts";

/** A rating of an answer, as far as it matters for the device's standing. */
export type RatedAnswer = {
  /** The member or the team of the API key, or the key if it is nobody's: more keys give nobody more weight. */
  readonly rater: string;
  readonly rating: Rating;
  /** Null without a dispute. */
  readonly dispute: DisputeState | null;
};

/** The ratings that count. Those of one rater count at most `mostOfRater` times. */
export type CountedRatings = {
  readonly praised: number;
  readonly criticized: number;
  readonly upheld: number;
};

/** More ratings of one rater count no more. */
export const mostOfRater = 3;

/**
 * Counts ratings of one device and model. A rejected dispute counts for nothing. Only the first ones of each rater count, so give
 * the newest first.
 */
export function countRatings(rated: readonly RatedAnswer[]): CountedRatings {
  const counted = { praised: 0, criticized: 0, upheld: 0 };
  const ofRater = new Map<string, number>();
  for (const { rater, rating, dispute } of rated) {
    const before = ofRater.get(rater) ?? 0;
    if (dispute === "rejected" || before >= mostOfRater) continue;
    ofRater.set(rater, before + 1);
    counted[dispute === "settled" ? "upheld" : rating === "good" ? "praised" : "criticized"] += 1;
  }
  return counted;
}
