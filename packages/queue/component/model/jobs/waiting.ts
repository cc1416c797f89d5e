import type { JobSpec } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { maintenance } from "../references.ts";
import { move } from "./move.ts";
import { scheduleAdmit, termsOf } from "./turns.ts";

/**
 * The first thing that a job has to wait for: its time, then other jobs, then its turn; null if it is ready. The turn
 * comes last, because a job with a turn may run at once.
 */
export function firstWait(facts: {
  readonly delayed: boolean;
  readonly dependent: boolean;
  readonly limited: boolean;
}): NonNullable<Doc<"jobs">["waitsFor"]> | null {
  if (facts.delayed) return "time";
  if (facts.dependent) return "jobs";
  return facts.limited ? "turn" : null;
}

/** Whether the job still waits for other jobs. */
export async function isDependent(ctx: QueryCtx, jobId: Id<"jobs">): Promise<boolean> {
  const one = await ctx.db
    .query("dependencies")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .first();
  return one !== null;
}

/** Ends a wait. The job becomes ready, or waits for its turn if its requester or key is limited. */
export async function wakeJob(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<void> {
  const { turnOf } = await termsOf(ctx, job.scope, job);
  if (turnOf === null) {
    await move(ctx, job, { kind: "wake" }, now);
    return;
  }
  await ctx.db.patch("jobs", job._id, { waitsFor: "turn", turnOf, dueAt: undefined });
  await scheduleAdmit(ctx, job.scope, turnOf, job);
}

/** Schedules one chain of wake-ups for all delays of a submission. There may be 500. */
export async function scheduleWakeUps(
  ctx: MutationCtx,
  jobs: readonly { readonly spec: JobSpec }[],
  now: number,
): Promise<void> {
  const delays = jobs.flatMap(({ spec }) =>
    spec.delayMs === undefined || spec.delayMs === 0 ? [] : [spec.delayMs],
  );
  const [first, ...later] = [...new Set(delays)].sort((a, b) => a - b).map((delay) => now + delay);
  if (first === undefined) return;
  await ctx.scheduler.runAt(first, maintenance.wakeDue, later.length === 0 ? {} : { later });
}

const perPiece = 100;

/**
 * Wakes the delayed jobs whose time has come, in pieces.
 * @param later further times at which to run, ascending; ms epoch.
 */
export async function wakeDue(ctx: MutationCtx, later: readonly number[], now: number): Promise<void> {
  const due = await ctx.db
    .query("jobs")
    // Rows without a time sort before all that have one.
    .withIndex("by_due", (q) => q.gt("dueAt", 0).lte("dueAt", now))
    .take(perPiece);
  for (const job of due) {
    const dependent = job.status === "waiting" && (await isDependent(ctx, job._id));
    if (dependent) await ctx.db.patch("jobs", job._id, { waitsFor: "jobs", dueAt: undefined });
    else if (job.status === "waiting") await wakeJob(ctx, job, now);
    else await ctx.db.patch("jobs", job._id, { dueAt: undefined });
  }
  const more = due.length === perPiece;
  const next = more ? now : later.find((at) => at > now);
  if (next === undefined) return;
  const rest = later.filter((at) => at > next);
  await ctx.scheduler.runAt(next, maintenance.wakeDue, rest.length === 0 ? {} : { later: rest });
}
