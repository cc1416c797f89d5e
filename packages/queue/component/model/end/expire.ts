import type { JobSpec } from "../../../shared/validators.ts";
import { farthestMs } from "../bounds.ts";
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
    await scheduleExpiry(ctx, jobId, { end: nextExpiry(job, now), now });
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

/**
 * Schedules the check of a job's time limit. One timer serves all limits of a job, and limits that are too far away to
 * schedule.
 */
export async function scheduleExpiry(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  { end, now }: { readonly end: number | null; readonly now: number },
): Promise<void> {
  if (end === null) return;
  const at = Math.min(Math.max(end, now), now + farthestMs);
  await ctx.scheduler.runAt(at, maintenance.expire, { jobId, at });
}
