import type { JSONValue } from "convex/values";
import type { ComponentPath } from "../names/table-name.ts";
import type { CronSpec } from "../scheduler/cron/cron-spec.ts";
import type { ScheduledFunctionRunner } from "../scheduler/scheduler.ts";
import type { Schema } from "./checks/schema.ts";
import type { FunctionRunner } from "./contract/function-runner.ts";
import type { FunctionStats } from "./run/conflict-stats.ts";

/** A function runner with the members that the composition of the backend needs. */
export interface FunctionRuntime extends FunctionRunner {
  readonly scheduled: ScheduledFunctionRunner;
  readonly crons: readonly CronSpec[];
  /** The app, and the components that are installed in it. */
  readonly componentPaths: readonly ComponentPath[];
  readonly authConfig: JSONValue;
  schemaOf(component: ComponentPath): Schema;
  /** Conflicts and retries of mutations, by function. */
  conflictStats(): { readonly [identifier: string]: FunctionStats };
  /** Resets the counts to zero. */
  resetConflictStats(): void;
}
