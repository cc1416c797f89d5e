import type { JSONValue } from "convex/values";
import type { DocumentJson, Transaction } from "../engine/model/types.ts";
import { type ComponentPath, engineTableName, parseEngineTableName } from "../names/table-name.ts";
import type { TableDefinition } from "../values/keys/index-fields.ts";

/** State of a scheduled function, as `ctx.db.system` shows it. */
export type ScheduledState =
  | { readonly kind: "pending" }
  | { readonly kind: "inProgress" }
  | { readonly kind: "success" }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "canceled" };

export type ScheduledFunction = {
  readonly id: string;
  /** Whether a cron scheduled it. Then its row is in `_cron_runs`, hidden from functions. */
  readonly isCronRun: boolean;
  /** The component that owns the function. It differs from the table's if a handle was scheduled. */
  readonly component: ComponentPath;
  /** "module.js:name". */
  readonly name: string;
  readonly args: JSONValue;
  /** Due time, in ms since the epoch. */
  readonly scheduledTime: number;
  readonly state: ScheduledState;
};

/**
 * `_scheduled_functions`: one table for the app and one for each component. Its writers are the schedule and
 * cancel syscalls (pending, canceled), the scheduler (all other states) and the sweeper (removal of finished
 * rows).
 */
export const scheduledTable: TableDefinition = {
  name: "_scheduled_functions",
  indexes: [
    { name: "by_state_and_time", fields: ["state.kind", "scheduledTime"] },
    { name: "by_completed_time", fields: ["completedTime"] },
  ],
};

/**
 * `_cron_runs`: one table for the app and one for each component. Functions cannot see it: in Convex too, runs
 * of crons are not among the scheduled functions. Its writers are the crons (pending), the scheduler (all
 * other states) and the sweeper (removal).
 */
export const cronRunTable: TableDefinition = { ...scheduledTable, name: "_cron_runs" };

/** The engine's name for a component's `_scheduled_functions`. */
export function scheduledTableOf(component: ComponentPath): string {
  return engineTableName({ component, table: scheduledTable.name });
}

/** The engine's name for a component's `_cron_runs`. */
export function cronRunTableOf(component: ComponentPath): string {
  return engineTableName({ component, table: cronRunTable.name });
}

/** The engine's names for all tables with pending runs. */
export function runTablesOf(components: readonly ComponentPath[]): readonly string[] {
  return components.flatMap((component) => [scheduledTableOf(component), cronRunTableOf(component)]);
}

export type NewScheduledFunction = Pick<ScheduledFunction, "component" | "name" | "args" | "scheduledTime">;

/** Adds a pending row to a table of the scheduling component and returns its id. `table` is the engine's name. */
export function insertScheduled(transaction: Transaction, table: string, job: NewScheduledFunction): string {
  return transaction.insert(table, {
    ...(job.component === parseEngineTableName(table).component ? {} : { component: job.component }),
    name: job.name,
    args: [job.args],
    scheduledTime: job.scheduledTime,
    state: { kind: "pending" },
  });
}

/** Reads a row by its id; null if it does not exist. */
export function getScheduled(transaction: Transaction, id: string): ScheduledFunction | null {
  const document = transaction.get(id);
  const table = document === null ? null : transaction.tableOf(id);
  return document === null || table === null ? null : parseScheduled(document, table);
}

/** Parses a row. `table` is the engine's name. */
export function parseScheduled(document: DocumentJson, table: string): ScheduledFunction {
  const [args] = document["args"] as readonly JSONValue[];
  const owner = parseEngineTableName(table);
  return {
    id: document["_id"] as string,
    isCronRun: owner.table === cronRunTable.name,
    component: (document["component"] as string | undefined) ?? owner.component,
    name: document["name"] as string,
    args: args ?? {},
    scheduledTime: document["scheduledTime"] as number,
    state: document["state"] as ScheduledState,
  };
}

/** Moves a row to another state, and records the completion time of a final one. Does nothing if the row is gone. */
export function setScheduledState(transaction: Transaction, id: string, state: ScheduledState): void {
  const document = transaction.get(id);
  if (document === null) return;
  const { _id, _creationTime, ...fields } = document;
  const completion = isFinal(state) ? { completedTime: transaction.now } : {};
  transaction.replace(id, { ...fields, ...completion, state });
}

/** Cancels an unfinished function. A running action is not stopped; its outcome is discarded. */
export function cancelScheduled(transaction: Transaction, id: string): void {
  const job = getScheduled(transaction, id);
  if (job !== null && !isFinal(job.state)) setScheduledState(transaction, id, { kind: "canceled" });
}

export function isFinal(state: ScheduledState): boolean {
  return state.kind === "success" || state.kind === "failed" || state.kind === "canceled";
}
