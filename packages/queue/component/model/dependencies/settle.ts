import type { Doc, Id, MutationCtx } from "../builders.ts";
import { discard } from "../end/purge.ts";
import { move } from "../jobs/move.ts";
import { isFinal } from "../jobs/states.ts";
import { isDependent, wakeJob } from "../jobs/waiting.ts";
import { maintenance } from "../references.ts";
import { nextRound, type Round, runStep } from "../tryAgain.ts";

/** The most dependents that one call settles. */
const piece = 50;

/**
 * Notifies the dependents of a final job, in pieces. Dependents that needed its success are canceled if it did not
 * succeed, and so are theirs. If the job was retried meanwhile, it notifies them at its next end.
 */
export async function settleDependents(
  ctx: MutationCtx,
  on: Id<"jobs">,
  { refused, failures }: Round<Id<"dependencies">>,
  now: number,
): Promise<void> {
  const ended = await ctx.db.get("jobs", on);
  if (ended !== null && !isFinal(ended.status)) return;
  const passed = new Set(refused);
  const found = await ctx.db
    .query("dependencies")
    .withIndex("by_on", (q) => q.eq("on", on))
    .take(piece + refused.length);
  const rows = found.filter(({ _id }) => !passed.has(_id)).slice(0, piece);
  for (const row of rows) {
    // A cancellation may call the app.
    if (!isDoomed(row, ended)) await settleOne(ctx, row, now);
    else if (!(await runStep(ctx, { kind: "settle", dependencyId: row._id }))) passed.add(row._id);
  }
  const next = nextRound(rows.length === piece, { refused: [...passed], failures });
  if (next === null) return;
  const { delayMs, ...round } = next;
  await ctx.scheduler.runAfter(delayMs, maintenance.settleDependents, { jobId: on, ...round });
}

/** Notifies one dependent. */
export async function settleOne(ctx: MutationCtx, row: Doc<"dependencies">, now: number): Promise<void> {
  const [ended, job] = await Promise.all([ctx.db.get("jobs", row.on), ctx.db.get("jobs", row.jobId)]);
  if (ended !== null && !isFinal(ended.status)) return;
  await ctx.db.delete("dependencies", row._id);
  if (job === null) return;
  if (isDoomed(row, ended)) {
    await giveUp(ctx, job, `It depends on job ${row.on}, which is ${ended?.status ?? "deleted"}.`, now);
    return;
  }
  // A job that also waits for its time checks its dependencies when that time comes.
  if (job.waitsFor === "jobs" && !(await isDependent(ctx, job._id))) await wakeJob(ctx, job, now);
}

function isDoomed({ when }: Doc<"dependencies">, ended: Doc<"jobs"> | null): boolean {
  return when === "succeeded" && ended?.status !== "succeeded";
}

/**
 * Cancels the dependent. If it is a dead letter, which expired while it waited, deletes its payload so it can't be
 * retried.
 */
async function giveUp(ctx: MutationCtx, job: Doc<"jobs">, message: string, now: number): Promise<void> {
  const error = { code: "dependency_failed", message };
  if (!isFinal(job.status)) await move(ctx, job, { kind: "cancel" }, now, { job: { error } });
  else if ((await discard(ctx, job)).kind === "discarded") await ctx.db.patch("jobs", job._id, { error });
}
