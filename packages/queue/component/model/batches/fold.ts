import type { FunctionHandle } from "convex/server";
import type { Doc, Id, MutationCtx } from "../../builders.ts";
import type { BatchView } from "../../validators.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { retryDelayMs } from "../tryAgain.ts";
import { addEnds, batchViewOf, isComplete } from "./view.ts";

/** Ends that one count takes; fewer while jobs are added, which write the batch, too: a long count would lose to each. */
const endsPerPiece = 500;
const endsPerPieceWhileOpen = 100;
/**
 * Younger ones are left for the next count: their neighbours may still be under way, and would collide with it. As long
 * as a function may run: on a busy backend a count that lost its races again and again would be put off for minutes.
 */
const settledForMs = 1_000;

type Fold = {
  readonly batchId: Id<"batches">;
  /** How often `onDone` has thrown. */
  readonly failures?: number | undefined;
};

/** Counts a piece of a batch's ends, each exactly once since it goes with its row; ends the batch after the last. */
export async function foldBatch(ctx: MutationCtx, fold: Fold, now: number): Promise<void> {
  const { batchId, failures = 0 } = fold;
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
      await scheduleNext(ctx, batchId, counted === most);
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

async function scheduleNext(ctx: MutationCtx, batchId: Id<"batches">, more: boolean): Promise<void> {
  if (more) {
    await ctx.scheduler.runAfter(0, maintenance.foldBatch, { batchId });
    return;
  }
  const next = await ctx.db
    .query("batchEnds")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .first();
  if (next === null) await unscheduleFold(ctx, batchId);
  else await ctx.scheduler.runAfter(foldEveryMs, maintenance.foldBatch, { batchId });
}

/** A batch's ends are counted at most so often, but for what one count leaves over. */
const foldEveryMs = 1_000;

/**
 * Schedules counting unless it is scheduled. The row is only read by the ends of a batch that is being counted, so
 * they do not collide; whoever disarms it sends those back that have read it meanwhile, and they arm it again.
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
 * Notes the end of a batch's job; counted later, so that the ends of two jobs never collide. A batch counts the first
 * end of each of its jobs: one that is revived as a dead letter has been counted.
 */
export async function noteEnd(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  const { batchId, round, status } = job;
  if (batchId === undefined || round > 0) return;
  if (status !== "succeeded" && status !== "failed" && status !== "canceled" && status !== "expired") {
    throw new Error(`job ${job._id}: noted as ended while ${status}`);
  }
  await ctx.db.insert("batchEnds", { batchId, outcome: status });
  await scheduleFold(ctx, batchId, { delayMs: foldEveryMs });
}

/**
 * Ends a batch whose jobs are all final and counted, and calls its `onDone` in the same transaction: that is how it
 * is called exactly once.
 * @returns "threw" when the app's function did: what it wrote is undone, and the batch is still sealed.
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
    console.error(`onDone of batch ${batch._id} is called again later, since it threw:`, error);
    await ctx.db.patch("batches", batch._id, { status: "sealed", doneAt: undefined });
    return "threw";
  }
}
