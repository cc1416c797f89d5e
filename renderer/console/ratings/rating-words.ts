import type { DisputeState, RatingReason } from "../../../app/jobs/rating.ts";
import type { Tone } from "../../ui/tone.ts";
import type { GivenRating, RatedOutcome, RatingView } from "../data/rows.ts";
import type { Notice } from "../data/session-context.ts";

/** The present rating of the job's requester. A rating that is given again stays the same. */
export function givenOf({ rating, reason, comment, dispute }: RatingView): GivenRating {
  return { rating, reason, comment, dispute: dispute !== null };
}

const done = {
  good: "You rated the answer as good.",
  bad: "You rated the answer as bad.",
  disputed: "You dispute the answer. An administrator decides.",
  removed: "Your rating was removed.",
} as const;

/** The toast about a change of a rating. `given`: null if it was removed. */
export function ratedNotice({ kind }: RatedOutcome, given: GivenRating | null): Notice {
  if (kind === "no-answer") return { words: "The job has no answer, so nothing can be rated.", tone: "bad" };
  if (kind === "decided")
    return { words: "An administrator has decided this dispute, so the rating stays.", tone: "bad" };
  return { words: done[given === null ? "removed" : given.dispute ? "disputed" : given.rating] };
}

export const reasonWords: Readonly<Record<RatingReason, string>> = {
  wrong: "Wrong",
  incomplete: "Incomplete",
  off_topic: "Off topic",
  format: "In a wrong format",
  repetitive: "Repeats itself",
  harmful: "Harmful",
  other: "Something else",
};

export const disputeWords: Readonly<Record<DisputeState, { readonly tone: Tone; readonly words: string }>> = {
  open: { tone: "hold", words: "Disputed" },
  settled: { tone: "bad", words: "Found wrong" },
  rejected: { tone: "good", words: "Found right" },
};

/** The states to choose from on the page of disputes. */
export const disputeFilters = [
  { value: "open", label: "To decide" },
  { value: "settled", label: "Found wrong" },
  { value: "rejected", label: "Found right" },
] as const;

export function disputeFilterOf(text: string): DisputeState {
  return disputeFilters.find(({ value }) => value === text)?.value ?? "open";
}
