import type { BatchView } from "../../../shared/validators.ts";
import type { Doc, QueryCtx } from "../builders.ts";
/** The most uncounted ends that a view adds. Only the busiest batches have more between two counts. */
const maxUncounted = 256;

/** A batch as of its last count. */
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

/** A batch including uncounted ends. It may lag three seconds behind, and is never ahead. */
export async function freshViewOf(ctx: QueryCtx, batch: Doc<"batches">): Promise<BatchView> {
  if (batch.status === "done") return batchViewOf(batch);
  const ends = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batch._id))
    .take(maxUncounted);
  return { ...batchViewOf(batch), ...addEnds(batch, ends) };
}

export type Counts = Pick<Doc<"batches">, "succeeded" | "failed" | "canceled" | "expired">;

/** Adds uncounted ends to the counts. */
export function addEnds(counted: Counts, ends: readonly Pick<Doc<"batchEnds">, "outcome">[]): Counts {
  const { succeeded, failed, canceled, expired } = counted;
  const sum = { succeeded, failed, canceled, expired };
  for (const { outcome } of ends) sum[outcome] += 1;
  return sum;
}

/** Whether all jobs of the batch are final and no more can come. */
export function isComplete(batch: Pick<Doc<"batches">, "status" | "total">, counts: Counts): boolean {
  const ended = counts.succeeded + counts.failed + counts.canceled + counts.expired;
  return batch.status === "sealed" && ended === batch.total;
}
