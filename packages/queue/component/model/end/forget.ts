import type { Doc, MutationCtx } from "../../builders.ts";
import { forgetEvents } from "../events.ts";
import { settingsOf } from "../settings.ts";
import { deletePiece } from "../streams/chunks.ts";
import { forgetBatches } from "./forgetBatches.ts";
import { forgetSpreads } from "./forgetSpreads.ts";
import { bytesPerPiece, deleteBodies } from "./purge.ts";

const perPiece = 20;
const rowsPerJob = 100;

/** Deletes the records of final jobs, with their attempts, once their time has come. @returns whether more is left. */
export async function forgetPiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_forget", (q) => q.gt("forgetAt", 0).lte("forgetAt", now))
    .take(perPiece);
  let bytes = 0;
  for (const job of due) {
    // Only where the record is kept for less long than what it was about.
    if (job.purgeAt !== undefined) bytes += await deleteBodies(ctx, job._id);
    if (!(await forgetJob(ctx, job)) || bytes > bytesPerPiece) return true;
  }
  return due.length === perPiece;
}

/**
 * Deletes what is kept as long as records are, by the settings of all scopes: done batches, and events; and spreads that are over.
 * @returns whether more is left.
 */
export async function forgetAround(ctx: MutationCtx, now: number): Promise<boolean> {
  const { policy } = await settingsOf(ctx, "");
  const before = now - policy.recordKeptMs;
  const left = await Promise.all([
    forgetBatches(ctx, before),
    forgetEvents(ctx, before),
    forgetSpreads(ctx, now),
  ]);
  return left.includes(true);
}

/** @returns false when it has so many rows that another piece has to go on. */
async function forgetJob(ctx: MutationCtx, { _id: jobId }: Doc<"jobs">): Promise<boolean> {
  if (await deletePiece(ctx, jobId)) return false;
  const [attempts, dependencies] = await Promise.all([
    ctx.db
      .query("attempts")
      .withIndex("by_job", (q) => q.eq("jobId", jobId))
      .take(rowsPerJob),
    // What it waited for when it was canceled.
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
