import type { JSONValue } from "convex/values";
import type { KeyRange, Transaction } from "../engine/types.ts";
import { withSystemFields } from "../values/index-fields.ts";
import { APP, type ComponentPath } from "../values/table-name.ts";
import { toKeyRange, type RangeExpression } from "../values/index-range.ts";
import {
  parseScheduled,
  SCHEDULED_TABLE,
  scheduledTableOf,
  type ScheduledFunction,
  type ScheduledState,
} from "./scheduled-function.ts";

/** A component's pending rows, in the order in which they are due. */
export function pendingRange(component: ComponentPath): KeyRange {
  return inStateRange(component, "pending");
}

export function scheduledInState(
  transaction: Transaction,
  kind: ScheduledState["kind"],
  component: ComponentPath = APP,
): readonly ScheduledFunction[] {
  const range = inStateRange(component, kind);
  const scan = transaction.scan(range, "asc");
  const jobs: ScheduledFunction[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next())
    jobs.push(parseScheduled(entry.document, range.table));
  return jobs;
}

/** A component's rows that finished before a time, in ms since the epoch. */
export function completedBeforeRange(component: ComponentPath, time: number): KeyRange {
  return rangeOf(component, "by_completed_time", [
    // Rows that have not finished have no such field, and sort before all numbers.
    { type: "Gte", fieldPath: "completedTime", value: 0 },
    { type: "Lt", fieldPath: "completedTime", value: time },
  ]);
}

function inStateRange(component: ComponentPath, kind: JSONValue): KeyRange {
  return rangeOf(component, "by_state_and_time", [{ type: "Eq", fieldPath: "state.kind", value: kind }]);
}

function rangeOf(component: ComponentPath, index: string, expressions: readonly RangeExpression[]): KeyRange {
  const definition = SCHEDULED_TABLE.indexes.find(({ name }) => name === index);
  const keyFields = withSystemFields(definition?.fields ?? []);
  return toKeyRange({ table: scheduledTableOf(component), index, keyFields }, expressions);
}
