import type { Doc, MutationCtx } from "../builders.ts";
import { type attemptsById, type Held, passFences } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { armCheck, suspectFrom } from "../suspicion.ts";

/**
 * Starts prefetched attempts, so they can no longer be stolen. @returns the ids of attempts that the worker no longer
 * holds.
 */
export async function start(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  attempts: Awaited<ReturnType<typeof attemptsById>>,
  now: number,
): Promise<string[]> {
  const { held, fenced } = await passFences(ctx, worker, attempts);
  await startHeld(ctx, worker, held, now);
  return fenced;
}

/** Starts attempts. Those that are running stay as they are. */
export async function startHeld(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  held: readonly Held[],
  now: number,
): Promise<void> {
  for (const { attempt, job } of held) {
    if (attempt.status !== "prefetched") continue;
    const watch = suspectFrom(worker, job, now);
    await move(ctx, job, { kind: "start" }, now, {
      by: attempt,
      attempt: { startedAt: now, ...watch },
    });
    await armCheck(ctx, job.scope, watch, now);
  }
}
