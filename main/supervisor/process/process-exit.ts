import { assertNever } from "../../../app/assert-never.ts";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../attempt.ts";

/** Why the supervisor ends a process. One that ends without any of these has crashed. */
export type Ending = "abort" | "yield" | "rest" | "silence" | "memory";

/** Whether such an end is nobody's fault: then the next job may be tried at once. */
export function isOrderly(ending: Ending | null): boolean {
  return ending === "abort" || ending === "yield" || ending === "rest";
}

/** What becomes of a job whose process has ended. `aborting`: it had been asked to stop. */
export function outcomeAtExit(ending: Ending | null, aborting: boolean): RunOutcome {
  if (aborting) return { kind: "aborted" };
  switch (ending) {
    case "yield":
    case "rest":
      return { kind: "aborted" };
    case "silence":
      return { kind: "failed", error: jobErrors.silent };
    case "memory":
      return { kind: "failed", error: jobErrors.outOfMemory };
    // Those beside the one that had to be killed did not ask for it.
    case "abort":
    case null:
      return { kind: "failed", error: jobErrors.crashed };
    default:
      return assertNever(ending);
  }
}
