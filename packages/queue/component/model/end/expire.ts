import type { Doc, Id, MutationCtx } from "../../builders.ts";
import type { JobSpec } from "../../validators.ts";
import { farthestMs } from "../bounds.ts";
import { move } from "../jobs/move.ts";
import { isFinal } from "../jobs/states.ts";
import { maintenance } from "../references.ts";
import { retryDelayMs, runStep } from "../tryAgain.ts";

/** Which time ran out; null when none did. */
export function ranOut(
  job: Pick<Doc<"jobs">, "expiresAt" | "deadlineAt" | "startedAt">,
  now: number,
): "expiresAt" | "deadlineAt" | null {
  if (job.deadlineAt !== undefined && job.deadlineAt <= now) return "deadlineAt";
  // Begun once is begun, whatever became of that attempt.
  const begun = job.startedAt !== undefined;
  return !begun && job.expiresAt !== undefined && job.expiresAt <= now ? "expiresAt" : null;
}

/**
 * Looks whether a job's time ran out, and has it looked at again when its next one does, or when the app's `onFinal`
 * threw.
 * @param failures how often that was.
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

/** Ends a job that was not begun, or is not done, in time; a worker that is at it sees its attempt leave `held`. */
export async function expireOne(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<void> {
  const over = ranOut(job, now);
  if (over === null || isFinal(job.status)) return;
  const message = over === "expiresAt" ? "It was not begun in time." : "It was not done in time.";
  await move(ctx, job, { kind: "expire" }, now, { job: { error: { code: "expired", message } } });
}

/** The next time at which a job may be out of time; null when it never is. */
export function nextExpiry(
  { expiresAt, deadlineAt }: Pick<JobSpec, "expiresAt" | "deadlineAt">,
  after: number,
): number | null {
  const times = [expiresAt, deadlineAt].flatMap((at) => (at !== undefined && at > after ? [at] : []));
  return times.length === 0 ? null : Math.min(...times);
}

/** Has a job with an end looked at when that comes: one timer, that goes on to the next end, and to one too far ahead. */
export async function scheduleExpiry(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  { end, now }: { readonly end: number | null; readonly now: number },
): Promise<void> {
  if (end === null) return;
  const at = Math.min(Math.max(end, now), now + farthestMs);
  await ctx.scheduler.runAt(at, maintenance.expire, { jobId, at });
}
