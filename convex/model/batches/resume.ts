import { internal } from "../../_generated/api.js";
import type { MutationCtx } from "../../_generated/server.js";

/** A step of a batch that has not gone on for so long was cut off, as by a crash of the backend. */
const cutOffAfterMs = 2 * 60_000;
const endsLateAfterMs = 30_000;
const mostOpen = 200;

/** Goes on with batches whose last step was cut off. A step that is only slow gets a second one, of which one does nothing. */
export async function resumeBatches(ctx: MutationCtx, now: number): Promise<void> {
  const open = await ctx.db
    .query("batches")
    .withIndex("by_open", (q) => q.eq("open", true))
    .take(mostOpen);
  for (const { _id: batchId, isCut, cutAt } of open) {
    if (!isCut && cutAt < now - cutOffAfterMs) {
      await ctx.db.patch("batches", batchId, { cutAt: now });
      await ctx.scheduler.runAfter(0, internal.batchSteps.cut, { batchId });
    }
    const late = await ctx.db
      .query("batchEnds")
      .withIndex("by_batch", (q) => q.eq("batchId", batchId).lt("_creationTime", now - endsLateAfterMs))
      .first();
    if (late !== null) await ctx.scheduler.runAfter(0, internal.batchSteps.collect, { batchId });
  }
}
