import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { checkModes } from "../../../app/trust/check-mode.ts";
import { replayCounts, tokenCounts } from "../validators/answers.ts";
import { owner } from "../validators/people.ts";

export const checkMode = literals(...checkModes);

export const verdict = literals("fits", "unclear", "mismatch");

const times = v.optional(v.number());

/** How a device stands with one model: app/trust/standing.ts. */
export const standing = v.object({
  good: v.number(),
  bad: v.number(),
  passed: v.number(),
  drift: v.number(),
  counts: v.object({
    fits: times,
    unclear: times,
    wrong: times,
    overclaimed: times,
    cleared: times,
    result: times,
    abort: times,
    loss: times,
    timeout: times,
    failure: times,
    misjudged: times,
    // Ratings are added when a standing is read, and not stored.
    praised: times,
    criticized: times,
    upheld: times,
  }),
  at: v.number(),
});

/** A device that replayed an answer. `excess`: how far the answer was from an honest one; more than 1 is beyond the limit. */
export const voice = v.object({
  deviceId: v.id("devices"),
  /** To whom the device belonged then. Null: to the organization. Absent in voices of earlier versions. */
  owner: v.optional(v.union(owner, v.null())),
  verdict,
  replay: replayCounts,
  excess: v.number(),
  /** The mean regret beyond which an answer was odd, of this pair of computers. */
  limit: v.number(),
  /** The answer's text fits or is unclear, but its device reported far more tokens than the checker counted. */
  overclaim: v.optional(v.object({ claimed: tokenCounts, counted: tokenCounts })),
  at: v.number(),
});
export type StoredVoice = Infer<typeof voice>;

export const caseState = literals("open", "wrong", "right", "undecided");

/**
 * How a canary is going: `asked` waits for answers, `replayed` for a replay of the tested device's answer. Then the result: both agree or
 * the replay fits, an odd answer, one that is not of the model, or none.
 */
export const canaryState = literals("asked", "replayed", "fits", "unclear", "mismatch", "undone");

/** A job that ended, and the round of its end; null if it ended with an answer, after which there is no other round. */
export const endedJob = v.object({ jobId: v.string(), round: v.union(v.number(), v.null()) });
