import type { Doc, QueryCtx } from "../../builders.ts";
import type { BatchView } from "../../validators.ts";
import { withEnds } from "./counts.ts";

/** Ends that a view adds to what was counted: more than come between two counts of all but the busiest batches. */
const maxUncounted = 256;

/** A batch as far as it was counted. */
export function batchViewOf(batch: Doc<"batches">): BatchView {
  return {
    batchId: batch._id,
    externalId: batch.externalId ?? null,
    status: batch.status,
    total: batch.total,
    ...withEnds(batch, []),
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
  return { ...batchViewOf(batch), ...withEnds(batch, ends) };
}
