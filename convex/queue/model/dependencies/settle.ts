import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { wake } from "../limits/wake.ts";
import { maintenance } from "../references.ts";
import { isFinal } from "../states.ts";

/** Dependents that one call settles. */
const piece = 50;

/** Whether a job still has others to wait for. */
export async function isDependent(ctx: QueryCtx, jobId: Id<"jobs">): Promise<boolean> {
  const one = await ctx.db
    .query("dependencies")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .first();
  return one !== null;
}

/**
 * Tells those that depend on a final job, in pieces. Whoever needed it to succeed, and it did not, is canceled, and so
 * are those that depend on that one in turn. Revived meanwhile, it tells them when it ends again.
 */
export async function settleDependents(ctx: MutationCtx, on: Id<"jobs">, now: number): Promise<void> {
  const ended = await ctx.db.get("jobs", on);
  if (ended !== null && !isFinal(ended.status)) return;
  const rows = await ctx.db
    .query("dependencies")
    .withIndex("by_on", (q) => q.eq("on", on))
    .take(piece);
  for (const row of rows) await settleOne(ctx, row, ended, now);
  if (rows.length === piece) await ctx.scheduler.runAfter(0, maintenance.settleDependents, { jobId: on });
}

async function settleOne(
  ctx: MutationCtx,
  row: Doc<"dependencies">,
  ended: Doc<"jobs"> | null,
  now: number,
): Promise<void> {
  await ctx.db.delete("dependencies", row._id);
  const job = await ctx.db.get("jobs", row.jobId);
  if (job === null || isFinal(job.status)) return;
  if (row.when === "succeeded" && ended?.status !== "succeeded") {
    const how = ended?.status ?? "forgotten";
    const error = { code: "dependency_failed", message: `Job ${row.on}, which it depends on, is ${how}.` };
    await move(ctx, job, { kind: "cancel" }, now, { job: { error } });
    return;
  }
  // One that waits for its time looks for itself when that has come.
  if (job.waitsFor === "jobs" && !(await isDependent(ctx, job._id))) await wake(ctx, job, now);
}
