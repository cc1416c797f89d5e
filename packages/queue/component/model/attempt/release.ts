import { clip } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { type attemptsById, heldByKey, passFences } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { ringPositionForAnother } from "../jobs/positionForAnother.ts";
import { hasReturnedOften, withReturn } from "../jobs/returns.ts";
import { settingsOf } from "../settings.ts";

const maxReasonChars = 255;

/**
 * Gives jobs back, usually because the worker's person returned. It is no failure and uses no retry. A worker that returns
 * the same job again and again leaves it to others.
 * @returns the ids of attempts that the worker no longer holds.
 */
export async function release(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  attempts: Awaited<ReturnType<typeof attemptsById>>,
  reason: string,
  now: number,
): Promise<string[]> {
  const { held, fenced } = await passFences(ctx, worker, attempts);
  if (held.length === 0) return fenced;
  const releaseReason = clip(reason, maxReasonChars);
  const { releasePauseMs } = await settingsOf(ctx, worker.scope);
  for (const { attempt: own, job } of held) {
    const attempt = { releaseReason, pausedUntil: now + releasePauseMs };
    // The worker leaves the job to others from now on, so the job has to wake one of them.
    const goesOn = job.secondAttemptId !== undefined;
    const leaves = !goesOn && hasReturnedOften(withReturn(job, worker._id), worker._id);
    const moved = leaves ? { place: await ringPositionForAnother(ctx, job, worker._id) } : {};
    await move(ctx, job, { kind: "release" }, now, { by: own, job: moved, attempt });
  }
  return fenced;
}

/** Gives back the unstarted jobs of a worker that takes nothing more. */
export async function releaseWaiting(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  held: readonly Doc<"attempts">[],
  now: number,
): Promise<void> {
  const waiting = held.filter(({ status }) => status === "prefetched");
  const attempts = waiting.map((attempt) => ({ attemptId: attempt._id, attempt }));
  await release(ctx, worker, attempts, "not started", now);
}

/** Gives back all jobs of a worker that restarts, says goodbye, is paused or is retired. */
export async function releaseAll(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  reason: string,
  now: number,
): Promise<void> {
  const attempts = await heldByKey(ctx, worker.keyHash);
  await release(
    ctx,
    worker,
    attempts.map((attempt) => ({ attemptId: attempt._id, attempt })),
    reason,
    now,
  );
}
