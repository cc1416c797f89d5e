import type { Doc, MutationCtx } from "../builders.ts";
import { defined } from "../load.ts";
import { unparked } from "../placement.ts";
import { present } from "../refuse.ts";
import { finish } from "./finish.ts";
import { hasReturnedOften, withReturn } from "./returns.ts";
import { hasTurn, isFinal, isHeld, type JobEvent, transition } from "./states.ts";
import { releaseTurns } from "./turns.ts";

export type JobChange = Partial<
  Pick<
    Doc<"jobs">,
    | "currentAttemptId"
    | "attempts"
    | "failures"
    | "failuresByJob"
    | "unfit"
    | "verdicts"
    | "error"
    | "report"
    | "waitsFor"
    | "turnOf"
    | "dueAt"
    | "place"
    | "dice"
    | "round"
    | "expiresAt"
    | "deadlineAt"
  >
>;
export type AttemptChange = Partial<
  Pick<Doc<"attempts">, "report" | "error" | "releaseReason" | "pausedUntil">
>;

/** The workers that a job remembers because they failed it, or returned it often. */
const maxFailedBy = 16;

/** The time limit of an attempt that starts now, if its job has one. */
export function overdueFrom(
  { attemptMs }: Pick<Doc<"jobs">, "attemptMs">,
  now: number,
): { readonly overdueAt?: number } {
  return attemptMs === undefined ? {} : { overdueAt: now + attemptMs };
}

/**
 * Changes a job's status, and the status of its current attempt. No other code does. A job that becomes final is
 * finished in the same transaction. An illegal event is a bug of the caller, who checks the fence first: the function
 * throws, and the transaction is undone.
 * @param change.job `currentAttemptId` of a claim or a theft, and any other fields that change.
 * @returns the job after the change.
 */
export async function move(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  event: JobEvent,
  now: number,
  change: { readonly job?: JobChange; readonly attempt?: AttemptChange } = {},
): Promise<Doc<"jobs">> {
  const next = transition(job.status, event);
  if (next === null) throw new Error(`job ${job._id}: ${event.kind} is illegal while ${job.status}`);

  const patch: Partial<Doc<"jobs">> = {};
  if (next.attempt !== null && job.currentAttemptId !== undefined) {
    const attempt = present(await ctx.db.get("attempts", job.currentAttemptId), "current attempt");
    const over =
      next.attempt === "running"
        ? overdueFrom(job, now)
        : { open: false, endedAt: now, overdueAt: undefined };
    await ctx.db.patch("attempts", attempt._id, {
      ...change.attempt,
      ...over,
      status: next.attempt,
      handed: undefined,
      handedAt: undefined,
    });
    const { workerId } = attempt;
    const hasFailed = next.attempt === "failed" || next.attempt === "lost";
    // A job that was lost before it started says nothing about the job itself.
    const counts = hasFailed && (event.kind === "fail" || job.status === "running");
    if (counts) patch.failures = job.failures + 1;
    // A worker that was woken for the job and had it stolen did not start it.
    const notStarted = (hasFailed && !counts) || (next.attempt === "stolen" && attempt.woken === true);
    if (next.attempt === "released" || notStarted) patch.returnedBy = withReturn(job, workerId);
    if (hasFailed || hasReturnedOften(patch.returnedBy ?? [], workerId)) {
      patch.lastFailedWorkerId = workerId;
      const others = (job.failedBy ?? []).filter((other) => other !== workerId);
      patch.failedBy = [...others, workerId].slice(-maxFailedBy);
    }
  }
  if (next.job === "running") patch.startedAt = job.startedAt ?? now;
  if (next.job === "ready") patch.readyAt = now;
  // Fields that are undefined in a patch are removed. A job that does not wait is in no index of waiting jobs.
  if (next.job !== "waiting")
    Object.assign(patch, { waitsFor: undefined, turnOf: undefined, dueAt: undefined });
  if (!isHeld(next.job) && !isFinal(next.job)) {
    Object.assign(patch, { currentAttemptId: undefined, ...unparked(job) });
  }
  if (isFinal(next.job)) Object.assign(patch, { runsOutAt: undefined });
  if (event.kind === "retry")
    Object.assign(patch, { finishedAt: undefined, purgeAt: undefined, forgetAt: undefined });
  const changed = { ...patch, ...change.job, status: next.job };
  await ctx.db.patch("jobs", job._id, changed);
  // Equal to the stored row, without another stage of reads.
  const moved = defined({ ...job, ...changed }) as Doc<"jobs">;
  if (isHeld(job.status) && moved.status === "waiting") await releaseTurns(ctx, moved);
  const { status } = moved;
  return isFinal(status) ? await finish(ctx, { ...moved, status }, now, hasTurn(job.status)) : moved;
}
