import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { isDestroyed } from "../files/seals.ts";
import { concludeIfComplete } from "./conclude.ts";

/** A step of a batch that has not gone on for so long was cut off, as by a crash of the backend. */
const cutOffAfterMs = 2 * 60_000;
const collectedLateAfterMs = 45_000;
/** After its time a batch gets so long to end by itself. */
const giveUpAfterMs = 3_600_000;
const resumedAtOnce = 50;

/**
 * Goes on with the next batches whose last step was cut off. A step that is only slow gets a second one beside it, of which one
 * does nothing. Returns the cursor for the others; null if there are none.
 */
export async function resumeBatches(
  ctx: MutationCtx,
  cursor: string | null,
  now: number,
): Promise<string | null> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("batches")
    .withIndex("by_open", (q) => q.eq("open", true))
    .paginate({ numItems: resumedAtOnce, cursor });
  for (const batch of page) await resume(ctx, batch, now);
  return isDone ? null : continueCursor;
}

async function resume(ctx: MutationCtx, batch: Doc<"batches">, now: number): Promise<void> {
  const { _id: batchId, inputFileId, isCut, cutAt, collectedAt, expiresAt } = batch;
  if (!isCut && now > expiresAt + giveUpAfterMs) {
    await giveUp(ctx, batch, now);
    return;
  }
  if (!isCut && cutAt < now - cutOffAfterMs) {
    const file = await ctx.db.get("files", inputFileId);
    if (file !== null && (await isDestroyed(ctx, file.parts))) {
      await giveUp(ctx, batch, now);
      return;
    }
    await ctx.db.patch("batches", batchId, { cutAt: now });
    await ctx.scheduler.runAfter(0, internal.batchSteps.cut, { batchId });
  }
  if (collectedAt >= now - collectedLateAfterMs) return;
  const late = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId).lt("_creationTime", now - collectedLateAfterMs))
    .first();
  if (late === null) return;
  await ctx.db.patch("batches", batchId, { collectedAt: now });
  await ctx.scheduler.runAfter(0, internal.batchSteps.collect, { batchId });
}

/** Ends a batch whose file can be read no more. The requests that are known keep their answers. */
async function giveUp(ctx: MutationCtx, { _id, cut, mistakes }: Doc<"batches">, now: number): Promise<void> {
  const unreadable = {
    line: 0,
    code: "file_unreadable",
    param: null,
    message: "The file could not be read.",
  };
  await ctx.db.patch("batches", _id, {
    isCut: true,
    total: cut.requests,
    mistakes: [...mistakes, unreadable],
  });
  await concludeIfComplete(ctx, _id, now);
}
