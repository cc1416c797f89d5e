/** A requester's say about an answer. */
export const ratings = ["good", "bad"] as const;
export type Rating = (typeof ratings)[number];

/** The reasons for a bad rating. The names are stored. */
export const ratingReasons = [
  "wrong",
  "incomplete",
  "off_topic",
  "format",
  "repetitive",
  "harmful",
  "other",
] as const;
export type RatingReason = (typeof ratingReasons)[number];

/**
 * The states of a dispute: nobody has decided it yet, an administrator found that the requester is right, or found that the
 * answer is.
 */
export const disputeStates = ["open", "settled", "rejected"] as const;
export type DisputeState = (typeof disputeStates)[number];

/** `comment`: at most `limits.ratingCommentChars`. `dispute`: the answer is wrong, and somebody is to look at it. */
export type GivenRating = {
  readonly rating: Rating;
  readonly reason: RatingReason | null;
  readonly comment: string | null;
  readonly dispute: boolean;
};

/** The field that does not fit the others, and why. Null: they fit. */
export function ratingMistake({ rating, reason, dispute }: GivenRating): RatingMistake | null {
  if (rating === "bad") return null;
  if (dispute) return { field: "dispute", why: "only a bad answer can be disputed" };
  return reason === null ? null : { field: "reason", why: "only a bad rating has a reason" };
}

export type RatingMistake = { readonly field: "dispute" | "reason"; readonly why: string };
