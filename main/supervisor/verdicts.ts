import { assertNever } from "../../app/assert-never.ts";
import { jobErrors } from "../../app/contract/job-errors.ts";
import type { RequestStep } from "../../app/contract/runner.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { type EndReason, isOrderly } from "./process/process-exit.ts";

/** A process that has ended, as far as it matters for its jobs. */
export type ProcessEnd = {
  readonly reason: EndReason | null;
  /** Something else killed it: the system without memory, or a person. */
  readonly outside: boolean;
  /** It was loading a model. */
  readonly loading: boolean;
  /** Its model used a GPU, whose driver may be the cause. */
  readonly gpu: boolean;
};

/** An attempt that the process had, or that waited for it. */
type JobInProcess = {
  readonly sent: boolean;
  /** Its turn had come, and the model was in memory. */
  readonly loaded: boolean;
  readonly aborting: boolean;
  readonly step: RequestStep | null;
};

/**
 * - aborted: it was asked to stop.
 * - released: another caused the end. It may run again at once, and no failure counts.
 * - suspect: it, or one of several others, caused the end. It is released, and runs alone the next time.
 * - caused: it caused the end.
 * - failed: the device is the likelier cause. An ordinary failure.
 */
export type Verdict = "aborted" | "released" | "suspect" | "caused" | "failed";

/** The verdict for each attempt, and whether the end counts as a crash of this device. */
type Judgment = { readonly verdicts: readonly Verdict[]; readonly ofDevice: boolean };

/** In these steps llama.cpp only handles the request's own text. A device has no part in their failure. */
const ownSteps: readonly (RequestStep | null)[] = ["prompt", "grammar", "sample", "check"];
/** In these it computes for one request, but perhaps on a GPU and beside others. */
const sharedSteps: readonly (RequestStep | null)[] = ["prefill", "embed"];

/**
 * Finds the attempt that caused the end of a process. An attempt is charged if no other was at a step that can block or
 * crash, or if no other ran. If several are possible, none of them is charged. Each runs without others the next time, so
 * that a second end tells which one it was.
 */
export function judge(end: ProcessEnd, attempts: readonly JobInProcess[]): Judgment {
  const { reason, outside, loading, gpu } = end;
  const give = (suspects: readonly JobInProcess[], verdict: Verdict, ofDevice: boolean): Judgment => ({
    verdicts: attempts.map((each) =>
      each.aborting ? "aborted" : suspects.includes(each) ? verdict : "released",
    ),
    ofDevice,
  });
  if (reason === "abort") return give([], "released", false);
  if (isOrderly(reason)) return give(attempts, "aborted", false);

  const active = attempts.filter(({ sent, loaded }) => sent && loaded);
  const own = active.filter(({ step }) => ownSteps.includes(step));
  if (own.length > 0) return give(own, own.length === 1 ? "caused" : "suspect", false);
  if (loading || active.length === 0) {
    const first = attempts.find(({ loaded, aborting }) => !loaded && !aborting);
    return give(first === undefined ? [] : [first], "failed", true);
  }
  if (outside && active.length > 1) return give([], "released", true);
  if (outside || (gpu && active.length === 1)) return give(active, "failed", true);
  if (reason === "memory") return give(active, active.length === 1 ? "failed" : "suspect", true);
  const shared = active.filter(({ step }) => sharedSteps.includes(step));
  const suspects = shared.length > 0 && !gpu ? shared : active;
  return give(suspects, suspects.length === 1 ? "caused" : "suspect", true);
}

/** The outcome of an attempt whose process has ended for this reason. */
export function outcomeOf(verdict: Verdict, reason: EndReason | null): AttemptOutcome {
  switch (verdict) {
    case "aborted":
      return { kind: "aborted" };
    case "released":
    case "suspect":
      return { kind: "released" };
    case "caused":
      return {
        kind: "failed",
        error: reason === "silence" ? jobErrors.requestTimeout : jobErrors.requestCrashed,
      };
    case "failed":
      if (reason === "silence") return { kind: "failed", error: jobErrors.silent };
      return { kind: "failed", error: reason === "memory" ? jobErrors.outOfMemory : jobErrors.crashed };
    default:
      return assertNever(verdict);
  }
}
