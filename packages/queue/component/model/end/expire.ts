import type { JobSpec } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { move } from "../jobs/move.ts";
import { isFinal } from "../jobs/states.ts";
import { maintenance } from "../references.ts";
import { retryDelayMs, runStep } from "../tryAgain.ts";

/** The time limit that the job has exceeded; null if none. */
export function ranOut(
  job: Pick<Doc<"jobs">, "expiresAt" | "deadlineAt" | "startedAt">,
  now: number,
): "expiresAt" | "deadlineAt" | null {
  if (job.deadlineAt !== undefined && job.deadlineAt <= now) return "deadlineAt";
  // A job that was started once counts as started, even if that attempt ended.
  const started = job.startedAt !== undefined;
  return !started && job.expiresAt !== undefined && job.expiresAt <= now ? "expiresAt" : null;
}

/**
 * Expires a job if its time is over. Otherwise schedules the check of its next time limit. If the app's `onFinal`
 * throws, tries again later.
 * @param failures how often `onFinal` has thrown.
 */
export async function expire(
  ctx: MutationCtx,
  { jobId, failures = 0 }: { readonly jobId: Id<"jobs">; readonly failures?: number | undefined },
  now: number,
): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  if (job === null || isFinal(job.status)) return;
  if (ranOut(job, now) === null) {
    const end = nextExpiry(job, now);
    if (end !== null && isChecked(end, now)) await ctx.db.patch("jobs", jobId, { runsOutAt: end });
    else await scheduleExpiry(ctx, jobId, { end, now });
  } else if (!(await runStep(ctx, { kind: "expire", jobId }))) {
    const at = now + retryDelayMs(failures);
    await ctx.scheduler.runAt(at, maintenance.expire, { jobId, at, failures: failures + 1 });
  }
}

/** Ends a job that was not started or not finished in time. A worker that holds it sees its attempt leave `held`. */
export async function expireOne(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<void> {
  const over = ranOut(job, now);
  if (over === null || isFinal(job.status)) return;
  const message = over === "expiresAt" ? "It was not started in time." : "It was not finished in time.";
  await move(ctx, job, { kind: "expire" }, now, { job: { error: { code: "expired", message } } });
}

/** The next time at which the job may run out of time; null if it never does. */
export function nextExpiry(
  { expiresAt, deadlineAt }: Pick<JobSpec, "expiresAt" | "deadlineAt">,
  after: number,
): number | null {
  const times = [expiresAt, deadlineAt].flatMap((at) => (at !== undefined && at > after ? [at] : []));
  return times.length === 0 ? null : Math.min(...times);
}

/** Nearer limits get a timer of their own. Others may be found up to a minute late, and cost no scheduled function. */
const timedWithinMs = 60_000;

/** Whether the run of each minute checks this time limit. Else it needs a timer. */
export function isChecked(end: number, now: number): boolean {
  return end - now > timedWithinMs;
}

/** Schedules the check of a job's time limit, if it is near. */
export async function scheduleExpiry(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  { end, now }: { readonly end: number | null; readonly now: number },
): Promise<void> {
  if (end === null || isChecked(end, now)) return;
  const at = Math.max(end, now);
  await ctx.scheduler.runAt(at, maintenance.expire, { jobId, at });
}

/** Small, because each end may call the app. */
const perPiece = 50;
const tryAgainMs = 60_000;

/** Ends jobs whose time limit has passed. Called each minute. @returns whether there may be more. */
export async function expirePiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    // Jobs without a limit sort first.
    .withIndex("by_run_out", (q) => q.gt("runsOutAt", 0).lte("runsOutAt", now))
    .take(perPiece);
  for (const job of due) {
    if (ranOut(job, now) === null) {
      await ctx.db.patch("jobs", job._id, { runsOutAt: nextExpiry(job, now) ?? undefined });
    } else if (!(await runStep(ctx, { kind: "expire", jobId: job._id }))) {
      await ctx.db.patch("jobs", job._id, { runsOutAt: now + tryAgainMs });
    }
  }
  return due.length === perPiece;
}
