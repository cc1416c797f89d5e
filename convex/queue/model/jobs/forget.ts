import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { deletePiece } from "../streams/chunks.ts";
import { payloadOf, resultOf } from "./rows.ts";

const perPiece = 20;
const rowsPerJob = 100;

/** Deletes the records of final jobs, with their attempts, once their time has come. @returns whether more is left. */
export async function forgetPiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_forget", (q) => q.gt("forgetAt", 0).lte("forgetAt", now))
    .take(perPiece);
  let left = false;
  for (const job of due) left = !(await forgetJob(ctx, job)) || left;
  return left || due.length === perPiece;
}

/** @returns false when it has so many rows that another piece has to go on. */
async function forgetJob(ctx: MutationCtx, { _id: jobId }: Doc<"jobs">): Promise<boolean> {
  if (await deletePiece(ctx, jobId)) return false;
  const [attempts, dependencies, payload, result] = await Promise.all([
    ctx.db
      .query("attempts")
      .withIndex("by_job", (q) => q.eq("jobId", jobId))
      .take(rowsPerJob),
    dependenciesOf(ctx, jobId),
    payloadOf(ctx, jobId),
    resultOf(ctx, jobId),
  ]);
  for (const { _id } of attempts) await ctx.db.delete("attempts", _id);
  for (const { _id } of dependencies) await ctx.db.delete("dependencies", _id);
  if (attempts.length === rowsPerJob || dependencies.length === rowsPerJob) return false;
  if (payload !== null) await ctx.db.delete("payloads", payload._id);
  if (result !== null) await ctx.db.delete("results", result._id);
  await ctx.db.delete("jobs", jobId);
  return true;
}

/** What it waited for when it was canceled. */
async function dependenciesOf(ctx: MutationCtx, jobId: Id<"jobs">): Promise<Doc<"dependencies">[]> {
  return await ctx.db
    .query("dependencies")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .take(rowsPerJob);
}
