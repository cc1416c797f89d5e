import type { Transaction } from "../engine/model/types.ts";
import { parseScheduled, type ScheduledFunction } from "./scheduled-function.ts";
import { pendingRange } from "./scheduled-queries.ts";

/** The pending functions of all tables in the order in which they are due. Reads no further than it is asked. */
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
