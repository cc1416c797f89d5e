import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { discard } from "../end/purge.ts";
import { move } from "../jobs/move.ts";
import { isFinal } from "../jobs/states.ts";
import { isDependent, wakeJob } from "../jobs/waiting.ts";
import { maintenance } from "../references.ts";
import { nextRound, type Round, runStep } from "../tryAgain.ts";

/** Dependents that one call settles. */
const piece = 50;

/**
 * Tells those that depend on a final job, in pieces. Whoever needed it to succeed, and it did not, is canceled, and so
 * are those that depend on that one in turn. Revived meanwhile, it tells them when it ends again.
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
    // What is canceled may call the app.
    if (!isDoomed(row, ended)) await settleOne(ctx, row, now);
    else if (!(await runStep(ctx, { kind: "settle", dependencyId: row._id }))) passed.add(row._id);
  }
  const next = nextRound(rows.length === piece, { refused: [...passed], failures });
  if (next === null) return;
  const { delayMs, ...round } = next;
  await ctx.scheduler.runAfter(delayMs, maintenance.settleDependents, { jobId: on, ...round });
}

/** Tells one of them. */
export async function settleOne(ctx: MutationCtx, row: Doc<"dependencies">, now: number): Promise<void> {
  const [ended, job] = await Promise.all([ctx.db.get("jobs", row.on), ctx.db.get("jobs", row.jobId)]);
  if (ended !== null && !isFinal(ended.status)) return;
  await ctx.db.delete("dependencies", row._id);
  if (job === null) return;
  if (isDoomed(row, ended)) {
    await giveUp(ctx, job, `Job ${row.on}, which it depends on, is ${ended?.status ?? "forgotten"}.`, now);
    return;
  }
  // One that waits for its time looks for itself when that has come.
  if (job.waitsFor === "jobs" && !(await isDependent(ctx, job._id))) await wakeJob(ctx, job, now);
}

function isDoomed({ when }: Doc<"dependencies">, ended: Doc<"jobs"> | null): boolean {
  return when === "succeeded" && ended?.status !== "succeeded";
}

/** A dead letter, which ran out of time as it waited, cannot be tried again any more, as if it was canceled. */
async function giveUp(ctx: MutationCtx, job: Doc<"jobs">, message: string, now: number): Promise<void> {
  const error = { code: "dependency_failed", message };
  if (!isFinal(job.status)) await move(ctx, job, { kind: "cancel" }, now, { job: { error } });
  else if ((await discard(ctx, job)).kind === "discarded") await ctx.db.patch("jobs", job._id, { error });
}
