import type { Doc, QueryCtx } from "../../builders.ts";
import type { BatchView } from "../../validators.ts";
/** Ends that a view adds to what was counted: more than come between two counts of all but the busiest batches. */
const maxUncounted = 256;

/** A batch as far as it was counted. */
export function batchViewOf(batch: Doc<"batches">): BatchView {
  return {
    batchId: batch._id,
    externalId: batch.externalId ?? null,
    status: batch.status,
    total: batch.total,
    ...addEnds(batch, []),
    createdAt: batch.createdAt,
    doneAt: batch.doneAt ?? null,
    ...(batch.context === undefined ? {} : { context: batch.context }),
  };
}

/** The same with the ends since. It may lag behind by what comes within two seconds, never be ahead. */
export async function freshViewOf(ctx: QueryCtx, batch: Doc<"batches">): Promise<BatchView> {
  if (batch.status === "done") return batchViewOf(batch);
  const ends = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batch._id))
    .take(maxUncounted);
  return { ...batchViewOf(batch), ...addEnds(batch, ends) };
}

export type Counts = Pick<Doc<"batches">, "succeeded" | "failed" | "canceled" | "expired">;

/** What was counted, and ends that were not. */
export function addEnds(counted: Counts, ends: readonly Pick<Doc<"batchEnds">, "outcome">[]): Counts {
  const { succeeded, failed, canceled, expired } = counted;
  const sum = { succeeded, failed, canceled, expired };
  for (const { outcome } of ends) sum[outcome] += 1;
  return sum;
}

/** Whether every job of it is final, and none can come. */
export function isComplete(batch: Pick<Doc<"batches">, "status" | "total">, counts: Counts): boolean {
  const ended = counts.succeeded + counts.failed + counts.canceled + counts.expired;
  return batch.status === "sealed" && ended === batch.total;
}
