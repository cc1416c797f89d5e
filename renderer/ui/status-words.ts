import { assertNever } from "../../app/assert-never.ts";
import type { ModelView } from "../../app/contract/snapshot.ts";
import type { AttemptStatus } from "../../app/jobs/states.ts";
import { isDonorReason, type StandbyReason } from "../../app/policy/reasons.ts";
import type { StandingRank } from "../../app/trust/told-standing.ts";
import type { Tone } from "./tone.ts";

/** A status as a badge shows it. */
export type StatusWords = { readonly tone: Tone; readonly words: string };

/** A returned or lost attempt is not the donor's fault. */
export const attemptWords: Readonly<Record<AttemptStatus, StatusWords>> = {
  prefetched: { tone: "hold", words: "Up next" },
  running: { tone: "good", words: "Running" },
  succeeded: { tone: "good", words: "Done" },
  failed: { tone: "bad", words: "Failed" },
  released: { tone: "hold", words: "Given back" },
  stolen: { tone: "quiet", words: "Taken by another device" },
  lost: { tone: "hold", words: "Connection lost" },
  outrun: { tone: "quiet", words: "Another device was faster" },
  canceled: { tone: "quiet", words: "Canceled" },
  expired: { tone: "quiet", words: "Too late" },
};

/** The states of a model on a device. */
export const modelWords: Readonly<Record<ModelView["state"], StatusWords>> = {
  ready: { tone: "good", words: "Ready" },
  downloading: { tone: "rest", words: "Downloading" },
  verifying: { tone: "rest", words: "Checking the file" },
  waiting: { tone: "hold", words: "Waiting" },
  missing: { tone: "quiet", words: "Not downloaded" },
  corrupt: { tone: "bad", words: "Damaged" },
};

/** How a device stands with a model after checks and ratings of its answers. */
export const standingWords: Readonly<Record<StandingRank, StatusWords>> = {
  wrong: { tone: "bad", words: "Wrong answers" },
  overclaimed: { tone: "bad", words: "Too many tokens" },
  new: { tone: "hold", words: "New" },
  unsure: { tone: "hold", words: "Checked each time" },
  good: { tone: "good", words: "Good" },
};

/**
 * The tone of a reason for standby. A computer in use is the normal day, so reasons that end by themselves are calm. The other
 * ones last until somebody does something.
 */
export function standbyTone(reason: StandbyReason): Tone {
  if (!isDonorReason(reason)) return lasting.has(reason) ? "hold" : "quiet";
  switch (reason) {
    case "paused-by-you":
      return "rest";
    case "awaiting-approval":
    case "outdated":
    case "paused-in-console":
      return "hold";
    case "paused-by-server":
    case "other-key":
    case "wrong-server":
      return "bad";
    // Gleaner keeps trying, and a laptop is often somewhere else.
    case "offline":
    case "starting":
    case "not-enrolled":
    case "retired":
      return "quiet";
    default:
      return assertNever(reason);
  }
}

const lasting: ReadonlySet<StandbyReason> = new Set<StandbyReason>([
  "idle-unknown",
  "power-unknown",
  "network-unknown",
  "programs-unknown",
  "no-model",
  "disk-full",
]);
