import type { FunctionResult } from "../runtime/execution/function-failure.ts";
import type { ScheduledRun } from "../runtime/run/run-mutation.ts";
import type { ScheduledFunction } from "./scheduled-function.ts";

/** What the scheduler needs of the runtime. Scheduled functions run without a user. */
export interface ScheduledFunctionRunner {
  /** What a scheduled function is now; null when it no longer exists. */
  typeOf(job: Pick<ScheduledFunction, "component" | "name">): "Mutation" | "Action" | null;
  /** Runs a mutation and moves its row to the final state in the same transaction. */
  runMutation(job: ScheduledFunction): Promise<ScheduledRun>;
  /** Runs an action. Its row is the caller's business. */
  runAction(job: ScheduledFunction): Promise<FunctionResult>;
}
