import type { Value } from "convex/values";
import { boundedSize } from "../bounds.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";
import type { Held } from "./held.ts";
import { isHeld } from "./states.ts";

/** A small result is kept with the attempt, a large one in a row of its own. */
type JobResult = { readonly result: Value } & (
  | { readonly kind: "small"; readonly attemptId: Id<"attempts"> }
  | { readonly kind: "large"; readonly rowId: Id<"results"> }
);

/** A job's result; null before the end and after it was purged. */
export async function resultOf(
  ctx: QueryCtx,
  { _id, status, currentAttemptId }: Doc<"jobs">,
): Promise<JobResult | null> {
  if (status !== "succeeded") return null;
  const attempt = currentAttemptId === undefined ? null : await ctx.db.get("attempts", currentAttemptId);
  if (attempt?.result !== undefined) return { kind: "small", result: attempt.result, attemptId: attempt._id };
  const row = await firstOf(ctx.db.query("results").withIndex("by_job", (q) => q.eq("jobId", _id)));
  return row === null ? null : { kind: "large", result: row.result, rowId: row._id };
}

export async function deleteResult(ctx: MutationCtx, found: JobResult): Promise<void> {
  if (found.kind === "large") await ctx.db.delete("results", found.rowId);
  else await ctx.db.patch("attempts", found.attemptId, { result: undefined });
}

/** Small, because it is written often. */
const maxProgressBytes = 4_096;

/** The last progress that any attempt of the job reported. */
export async function progressRow(ctx: QueryCtx, jobId: Id<"jobs">): Promise<Doc<"progress"> | null> {
  return await firstOf(ctx.db.query("progress").withIndex("by_job", (q) => q.eq("jobId", jobId)));
}

/**
 * Replaces the progress of a job. That of a second attempt is not kept: the job's progress would jump back and forth. Refuses:
 * too_large.
 */
export async function noteProgress(
  ctx: MutationCtx,
  { attempt, job }: Held,
  view: Value,
  now: number,
): Promise<void> {
  boundedSize(view, "The progress", maxProgressBytes);
  if (job.currentAttemptId !== attempt._id) return;
  const reported = { jobId: job._id, attemptId: attempt._id, view, at: now };
  const row = await progressRow(ctx, job._id);
  if (row === null) await ctx.db.insert("progress", reported);
  else await ctx.db.patch("progress", row._id, reported);
}

/** The progress of the current attempt, if it reported any. */
export async function progressOf(ctx: QueryCtx, job: Doc<"jobs">): Promise<{ readonly progress?: Value }> {
  if (!isHeld(job.status)) return {};
  const row = await progressRow(ctx, job._id);
  return row !== null && row.attemptId === job.currentAttemptId ? { progress: row.view } : {};
}

export async function lastAttemptOf(
  ctx: QueryCtx,
  jobId: Doc<"jobs">["_id"],
): Promise<Doc<"attempts"> | null> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .order("desc")
    .first();
}
