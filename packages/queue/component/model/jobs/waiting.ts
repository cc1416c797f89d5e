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
  const times = [...new Set(delays)].sort((a, b) => a - b).map((delay) => now + delay);
  await scheduleWakeUp(ctx, times);
}

/** Schedules a wake-up for the first of these times, which schedules the next one. @param times ascending, ms epoch */
export async function scheduleWakeUp(ctx: MutationCtx, [at, ...later]: readonly number[]): Promise<void> {
  if (at === undefined) return;
  await ctx.scheduler.runAt(at, maintenance.wakeDue, later.length === 0 ? { at } : { at, later });
}

const perPiece = 100;

type WakeUp = {
  /** The time for which this run was scheduled, ms epoch. Runs of earlier versions do not know it. */
  readonly at?: number | undefined;
  /** Further times at which to run, ascending. */
  readonly later?: readonly number[] | undefined;
};

/** Wakes the delayed jobs whose time has come, in pieces. */
export async function wakeDue(ctx: MutationCtx, { at = 0, later = [] }: WakeUp, now: number): Promise<void> {
  // A timer may end a millisecond early, and a clock may be set back. No other run would wake the jobs of this one.
  const dueBy = Math.max(now, at);
  const due = await ctx.db
    .query("jobs")
    // Rows without a time sort before all that have one.
    .withIndex("by_due", (q) => q.gt("dueAt", 0).lte("dueAt", dueBy))
    .take(perPiece);
  for (const job of due) {
    const dependent = job.status === "waiting" && (await isDependent(ctx, job._id));
    if (dependent) await ctx.db.patch("jobs", job._id, { waitsFor: "jobs", dueAt: undefined });
    else if (job.status === "waiting") await wakeJob(ctx, job, now);
    else await ctx.db.patch("jobs", job._id, { dueAt: undefined });
  }
  const more = due.length === perPiece;
  const rest = later.filter((time) => time > dueBy);
  await scheduleWakeUp(ctx, more ? [dueBy, ...rest] : rest);
}
