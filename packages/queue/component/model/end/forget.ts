import type { Doc, MutationCtx } from "../builders.ts";
import { forgetEvents } from "../events.ts";
import { settingsOf } from "../settings.ts";
import { forgottenAfterMs } from "../spreads/width.ts";
import { deletePiece } from "../streams/chunks.ts";
import { bytesPerPiece, deleteBodies } from "./purge.ts";

const perPiece = 20;
const rowsPerJob = 100;

/** Deletes old records of final jobs, with their attempts. @returns whether more are left. */
export async function forgetPiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_forget", (q) => q.gt("forgetAt", 0).lte("forgetAt", now))
    .take(perPiece);
  let bytes = 0;
  for (const job of due) {
    // Only if the record is kept for less time than the payload.
    if (job.purgeAt !== undefined) bytes += await deleteBodies(ctx, job);
    if (!(await forgetJob(ctx, job)) || bytes > bytesPerPiece) return true;
  }
  return due.length === perPiece;
}

/**
 * Deletes done batches and events after the time for records in the settings of all scopes, and spreads that are over.
 * @returns whether more are left.
 */
export async function forgetOld(ctx: MutationCtx, now: number): Promise<boolean> {
  const { policy } = await settingsOf(ctx, "");
  const before = now - policy.recordKeptMs;
  const left = await Promise.all([
    forgetBatches(ctx, before),
    forgetEvents(ctx, before),
    forgetSpreads(ctx, now),
  ]);
  return left.includes(true);
}

/** Deletes a job's record. @returns false if it has so many rows that another piece is needed. */
async function forgetJob(ctx: MutationCtx, { _id: jobId }: Doc<"jobs">): Promise<boolean> {
  if (await deletePiece(ctx, jobId)) return false;
  const [attempts, dependencies] = await Promise.all([
    ctx.db
      .query("attempts")
      .withIndex("by_job", (q) => q.eq("jobId", jobId))
      .take(rowsPerJob),
    // The dependencies of a job that was canceled while it waited.
    ctx.db
      .query("dependencies")
      .withIndex("by_job", (q) => q.eq("jobId", jobId))
      .take(rowsPerJob),
  ]);
  for (const { _id } of attempts) await ctx.db.delete("attempts", _id);
  for (const { _id } of dependencies) await ctx.db.delete("dependencies", _id);
  if (attempts.length === rowsPerJob || dependencies.length === rowsPerJob) return false;
  await ctx.db.delete("jobs", jobId);
  return true;
}

const batchesPerPiece = 100;

/**
 * Deletes batches that were done before a time. Their jobs are deleted by their own times. @returns whether more are
 * left.
 */
async function forgetBatches(ctx: MutationCtx, before: number): Promise<boolean> {
  const old = await ctx.db
    .query("batches")
    // Batches that are not done sort first.
    .withIndex("by_done", (q) => q.gt("doneAt", 0).lt("doneAt", before))
    .take(batchesPerPiece);
  for (const { _id: batchId } of old) {
    const fold = await ctx.db
      .query("batchFolds")
      .withIndex("by_batch", (q) => q.eq("batchId", batchId))
      .first();
    if (fold !== null) await ctx.db.delete("batchFolds", fold._id);
    await ctx.db.delete("batches", batchId);
  }
  return old.length === batchesPerPiece;
}

const spreadsPerPiece = 100;

/** Deletes spreads that have shrunk to one slot. @returns whether more are left. */
async function forgetSpreads(ctx: MutationCtx, now: number): Promise<boolean> {
  const old = await ctx.db
    .query("spreads")
    .withIndex("by_widened", (q) => q.lt("widenedAt", now - forgottenAfterMs))
    .take(spreadsPerPiece);
  for (const { _id } of old) await ctx.db.delete("spreads", _id);
  return old.length === spreadsPerPiece;
}
