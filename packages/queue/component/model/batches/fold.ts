import type { FunctionHandle } from "convex/server";
import type { BatchView } from "../../../shared/validators.ts";
import type { Doc, FinalJob, Id, MutationCtx } from "../builders.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { retryDelayMs } from "../tryAgain.ts";
import { addEnds, batchViewOf, isComplete } from "./view.ts";

/**
 * The most ends that one count takes. It is lower while jobs are added: additions write the batch, too, and a long
 * count would lose to each of them.
 */
const endsPerPiece = 500;
const endsPerPieceWhileOpen = 100;
/**
 * Younger ends wait for the next count: a function may run for a second, and an end that is being committed would conflict
 * with the count. On a busy backend repeated conflicts would delay the count for minutes.
 */
const settledForMs = 1_000;

type Fold = {
  readonly batchId: Id<"batches">;
  /** How often `onDone` has thrown. */
  readonly failures?: number | undefined;
  /** How many counts before this one have found nothing, without a break. */
  readonly emptyLooks?: number | undefined;
};

/**
 * Counts some ends of a batch and deletes their rows, so each end counts once. Concludes the batch after the last end.
 */
export async function foldBatch(ctx: MutationCtx, fold: Fold, now: number): Promise<void> {
  const { batchId, failures = 0, emptyLooks = 0 } = fold;
  const batch = await ctx.db.get("batches", batchId);
  if (batch === null) return;
  const most = batch.status === "open" ? endsPerPieceWhileOpen : endsPerPiece;
  const counted = await countPiece(ctx, batch, { before: now - settledForMs, most });

  const folded = present(await ctx.db.get("batches", batchId), "folded batch");
  switch (await concludeIfComplete(ctx, folded, now)) {
    case "done":
      await unscheduleFold(ctx, batchId);
      return;
    case "threw":
      await ctx.scheduler.runAfter(retryDelayMs(failures), maintenance.foldBatch, {
        batchId,
        failures: failures + 1,
      });
      return;
    case "not-yet":
      if (counted === most) await ctx.scheduler.runAfter(0, maintenance.foldBatch, { batchId });
      else await scheduleNext(ctx, batchId, counted === 0 ? emptyLooks + 1 : 0);
  }
}

async function countPiece(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  { before, most }: { readonly before: number; readonly most: number },
): Promise<number> {
  const ends = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batch._id).lt("_creationTime", before))
    .take(most);
  if (ends.length === 0) return 0;
  await Promise.all(ends.map((end) => ctx.db.delete("batchEnds", end._id)));
  await ctx.db.patch("batches", batch._id, addEnds(batch, ends));
  return ends.length;
}

/** @param emptyLooks how many counts have found nothing, without a break. */
async function scheduleNext(ctx: MutationCtx, batchId: Id<"batches">, emptyLooks: number): Promise<void> {
  const afterMs = emptyLooks === 0 ? foldEveryMs : emptyLooksMs[emptyLooks - 1];
  if (afterMs !== undefined) {
    await ctx.scheduler.runAfter(afterMs, maintenance.foldBatch, { batchId, emptyLooks });
    return;
  }
  const next = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .first();
  if (next === null) await unscheduleFold(ctx, batchId);
  else await ctx.scheduler.runAfter(foldEveryMs, maintenance.foldBatch, { batchId });
}

/** The shortest time between two counts of a batch, unless one count leaves ends over. */
const foldEveryMs = 1_000;
/**
 * A count that finds nothing looks again after each of these times, and then stops. Each end of a job reads whether a count
 * is scheduled, so that must not change while jobs end one after the other: they would conflict.
 */
const emptyLooksMs = [1_000, 2_000, 2_000] as const;

/**
 * Schedules a count unless one is scheduled. Ends read this row while a count is scheduled and do not conflict.
 * Clearing it conflicts with ends that have just read it: they run again and schedule the next count.
 */
export async function scheduleFold(
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

async function unscheduleFold(ctx: MutationCtx, batchId: Id<"batches">): Promise<void> {
  const fold = await foldOf(ctx, batchId);
  if (fold?.armed === true) await ctx.db.patch("batchFolds", fold._id, { armed: false });
}

async function foldOf(ctx: MutationCtx, batchId: Id<"batches">): Promise<Doc<"batchFolds"> | null> {
  return await ctx.db
    .query("batchFolds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .unique();
}

/**
 * Records the end of a batch's job. It is counted later, so that two ends never conflict. A job counts once: a retried
 * dead letter was counted at its first end.
 */
export async function noteEnd(ctx: MutationCtx, { batchId, round, status }: FinalJob): Promise<void> {
  if (batchId === undefined || round > 0) return;
  await ctx.db.insert("batchEnds", { batchId, outcome: status });
  await scheduleFold(ctx, batchId, { delayMs: foldEveryMs });
}

/**
 * Ends a batch if all its jobs are final and counted. Calls `onDone` in the same transaction, so it is called exactly
 * once.
 * @returns "threw" if the app's function threw. Its writes are undone, and the batch stays sealed.
 */
export async function concludeIfComplete(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  now: number,
): Promise<"done" | "not-yet" | "threw"> {
  if (!isComplete(batch, batch)) return "not-yet";
  await ctx.db.patch("batches", batch._id, { status: "done", doneAt: now });
  if (batch.onDone === undefined) return "done";
  const done = present(await ctx.db.get("batches", batch._id), "done batch");
  try {
    await ctx.runMutation(batch.onDone as FunctionHandle<"mutation", BatchView>, batchViewOf(done));
    return "done";
  } catch (error) {
    console.error(`The queue calls onDone of batch ${batch._id} again later, because it threw:`, error);
    await ctx.db.patch("batches", batch._id, { status: "sealed", doneAt: undefined });
    return "threw";
  }
}
