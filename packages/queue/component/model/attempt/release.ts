import type { Doc, MutationCtx } from "../../builders.ts";
import { clip } from "../bounds.ts";
import { type attemptsOf, heldBy, passFences } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { settingsOf } from "../settings.ts";
const maxReasonChars = 255;

/**
 * A worker gives jobs back, mostly because its person is. No failure: it costs them no retry.
 * @returns what it holds no more.
 */
export async function release(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  attempts: Awaited<ReturnType<typeof attemptsOf>>,
  reason: string,
  now: number,
): Promise<string[]> {
  const { held, fenced } = await passFences(ctx, worker, attempts);
  if (held.length === 0) return fenced;
  const releaseReason = clip(reason, maxReasonChars);
  const { releasePauseMs } = await settingsOf(ctx, worker.scope);
  for (const { job } of held) {
    const attempt = { releaseReason, pausedUntil: now + releasePauseMs };
    await move(ctx, job, { kind: "release" }, now, { attempt });
  }
  return fenced;
}

/** Gives back what a worker that takes nothing more was handed, or held ahead, and has not begun. */
export async function releaseWaiting(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  held: readonly Doc<"attempts">[],
  now: number,
): Promise<void> {
  const waiting = held.filter(({ status }) => status === "prefetched");
  const attempts = waiting.map((attempt) => ({ attemptId: attempt._id, attempt }));
  await release(ctx, worker, attempts, "not begun", now);
}

/** Gives back everything that a worker holds: it starts afresh, says goodbye, is paused or retired. */
export async function releaseAll(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  reason: string,
  now: number,
): Promise<void> {
  const attempts = await heldBy(ctx, worker._id);
  await release(
    ctx,
    worker,
    attempts.map((attempt) => ({ attemptId: attempt._id, attempt })),
    reason,
    now,
  );
}
