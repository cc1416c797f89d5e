import type { JSONValue } from "convex/values";
import type { KeyRange, Transaction } from "../engine/types.ts";
import { withSystemFields } from "../values/index-fields.ts";
import { toKeyRange, type RangeExpression } from "../values/index-range.ts";
import {
  parseScheduled,
  SCHEDULED_TABLE,
  type ScheduledFunction,
  type ScheduledState,
} from "./scheduled-function.ts";

/** Pending rows, in the order in which they are due. */
export function pendingRange(): KeyRange {
  return inStateRange("pending");
}

export function scheduledInState(
  transaction: Transaction,
  kind: ScheduledState["kind"],
): readonly ScheduledFunction[] {
  const scan = transaction.scan(inStateRange(kind), "asc");
  const jobs: ScheduledFunction[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next())
    jobs.push(parseScheduled(entry.document));
  return jobs;
}

/** Rows that finished before a time, in ms since the epoch. */
export function completedBeforeRange(time: number): KeyRange {
  return rangeOf("by_completed_time", [
    // Rows that have not finished have no such field, and sort before all numbers.
    { type: "Gte", fieldPath: "completedTime", value: 0 },
    { type: "Lt", fieldPath: "completedTime", value: time },
  ]);
}

function inStateRange(kind: JSONValue): KeyRange {
  return rangeOf("by_state_and_time", [{ type: "Eq", fieldPath: "state.kind", value: kind }]);
}

function rangeOf(index: string, expressions: readonly RangeExpression[]): KeyRange {
  const definition = SCHEDULED_TABLE.indexes.find(({ name }) => name === index);
  const keyFields = withSystemFields(definition?.fields ?? []);
  return toKeyRange({ table: SCHEDULED_TABLE.name, index, keyFields }, expressions);
}
