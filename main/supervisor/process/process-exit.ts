import { assertNever } from "../../../app/assert-never.ts";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../../app/contract/runner.ts";

/** Why the supervisor ends a process. A process that exits without a reason has crashed. */
export type EndReason = "abort" | "yield" | "rest" | "silence" | "memory";

/** Whether the exit was wanted. Then the next job may start at once. */
export function isOrderly(reason: EndReason | null): boolean {
  return reason === "abort" || reason === "yield" || reason === "rest";
}

/** The outcome of a job whose process has exited. @param aborting the job had been asked to stop. */
export function outcomeAtExit(reason: EndReason | null, aborting: boolean): RunOutcome {
  if (aborting) return { kind: "aborted" };
  switch (reason) {
    case "yield":
    case "rest":
      return { kind: "aborted" };
    case "silence":
      return { kind: "failed", error: jobErrors.silent };
    case "memory":
      return { kind: "failed", error: jobErrors.outOfMemory };
    // The process was killed for the abort of another job.
    case "abort":
    case null:
      return { kind: "failed", error: jobErrors.crashed };
    default:
      return assertNever(reason);
  }
}
