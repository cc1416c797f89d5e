import type { MutationCtx } from "../../builders.ts";

const piece = 100;

/** Deletes batches that were done before then. Their jobs go by times of their own. @returns whether more is left. */
export async function forgetBatches(ctx: MutationCtx, before: number): Promise<boolean> {
  const old = await ctx.db
    .query("batches")
    // Those that are not done sort before all that are.
    .withIndex("by_done", (q) => q.gt("doneAt", 0).lt("doneAt", before))
    .take(piece);
  for (const { _id: batchId } of old) {
    const fold = await ctx.db
      .query("batchFolds")
      .withIndex("by_batch", (q) => q.eq("batchId", batchId))
      .first();
    if (fold !== null) await ctx.db.delete("batchFolds", fold._id);
    await ctx.db.delete("batches", batchId);
  }
  return old.length === piece;
}
