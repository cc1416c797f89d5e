import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";

/** A batch's ends are counted at most so often, but for what one count leaves over. */
export const foldEveryMs = 1_000;

/**
 * Schedules counting unless it is scheduled. The row is only read by the ends of a batch that is being counted, so
 * they do not collide; whoever disarms it sends those back that have read it meanwhile, and they arm it again.
 */
export async function armFold(
  ctx: MutationCtx,
  batchId: Id<"batches">,
  { delayMs }: { readonly delayMs: number },
): Promise<void> {
  const fold = await foldOf(ctx, batchId);
  if (fold?.armed === true) return;
  if (fold === null) await ctx.db.insert("batchFolds", { batchId, armed: true });
  else await ctx.db.patch("batchFolds", fold._id, { armed: true });
  await ctx.scheduler.runAfter(delayMs, maintenance.foldBatch, { batchId });
}

export async function disarmFold(ctx: MutationCtx, batchId: Id<"batches">): Promise<void> {
  const fold = await foldOf(ctx, batchId);
  if (fold?.armed === true) await ctx.db.patch("batchFolds", fold._id, { armed: false });
}

async function foldOf(ctx: MutationCtx, batchId: Id<"batches">): Promise<Doc<"batchFolds"> | null> {
  return await ctx.db
    .query("batchFolds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .unique();
}
