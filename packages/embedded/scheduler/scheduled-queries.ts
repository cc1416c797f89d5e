import type { JSONValue } from "convex/values";
import type { Transaction } from "../engine/model/types.ts";
import { withSystemFields } from "../values/keys/index-fields.ts";
import { type KeyRange, type RangeExpression, toKeyRange } from "../values/keys/index-range.ts";
import {
  parseScheduled,
  type ScheduledFunction,
  type ScheduledState,
  scheduledTable,
} from "./scheduled-function.ts";

/** A table's pending rows, ordered by due time. `table` is the engine's name. */
export function pendingRange(table: string): KeyRange {
  return inStateRange(table, "pending");
}

export function scheduledInState(
  transaction: Transaction,
  kind: ScheduledState["kind"],
  table: string,
): readonly ScheduledFunction[] {
  const range = inStateRange(table, kind);
  const scan = transaction.scan(range, "asc");
  const jobs: ScheduledFunction[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) {
    jobs.push(parseScheduled(entry.document, table));
  }
  return jobs;
}

/** A table's rows that finished before a time, in ms since the epoch. */
export function completedBeforeRange(table: string, time: number): KeyRange {
  return rangeOf(table, "by_completed_time", [
    // Unfinished rows lack this field and sort before all numbers.
    { type: "Gte", fieldPath: "completedTime", value: 0 },
    { type: "Lt", fieldPath: "completedTime", value: time },
  ]);
}

function inStateRange(table: string, kind: JSONValue): KeyRange {
  return rangeOf(table, "by_state_and_time", [{ type: "Eq", fieldPath: "state.kind", value: kind }]);
}

function rangeOf(table: string, index: string, expressions: readonly RangeExpression[]): KeyRange {
  const definition = scheduledTable.indexes.find(({ name }) => name === index);
  const keyFields = withSystemFields(definition?.fields ?? []);
  return toKeyRange({ table, index, keyFields }, expressions);
}

/** Yields the pending functions of all tables, ordered by due time. Reads only as far as its consumer does. */
export function* pendingInOrder(
  transaction: Transaction,
  tables: readonly string[],
): Generator<ScheduledFunction> {
  const heads = tables.map((table) => {
    const scan = transaction.scan(pendingRange(table), "asc");
    const next = (): ScheduledFunction | null => {
      const entry = scan.next();
      return entry === null ? null : parseScheduled(entry.document, table);
    };
    return { job: next(), next };
  });
  for (;;) {
    const earliest = heads.reduce((best, head) =>
      (head.job?.scheduledTime ?? Infinity) < (best.job?.scheduledTime ?? Infinity) ? head : best,
    );
    if (earliest.job === null) return;
    yield earliest.job;
    earliest.job = earliest.next();
  }
}
