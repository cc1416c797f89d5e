import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { insertAttempt } from "../dispatch/assign.ts";
import { isApart, isUnfit } from "../dispatch/avoid.ts";
import { handedTo } from "../dispatch/handed.ts";
import { reclaimOf, scheduleReclaim } from "../dispatch/reclaim.ts";
import { holdsAny } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { payloadOf } from "../jobs/payloads.ts";
import { matches } from "../lanes/requirements.ts";
import { ringSize } from "../placement.ts";
import { waitersAt } from "../rings/neighbors.ts";
import { settingsOf } from "../settings.ts";
import { expectedMs } from "../speed.ts";
import { watchUntil } from "../streams/follow.ts";

/** The most waiting workers that are compared, of the fast and of the slow ones: those at and before a random point. */
const maxAsked = 8;

export type Second = {
  readonly worker: Doc<"workers">;
  readonly payload: Doc<"payloads">;
  /** How long the worker is expected to take, in ms. */
  readonly expectedMs: number;
};

/**
 * The idle worker that is expected to end the job soonest; null if there is none, or if jobs wait for the idle ones.
 * @param withinMs it must not be expected to take longer.
 */
export async function findSecond(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  first: Doc<"workers">,
  withinMs: number,
  now: number,
): Promise<Second | null> {
  const [lane, ready, payload] = await Promise.all([
    ctx.db.get("lanes", job.laneId),
    ctx.db
      .query("jobs")
      .withIndex("by_ready", (q) => q.eq("laneId", job.laneId).eq("status", "ready"))
      .first(),
    payloadOf(ctx, job._id),
  ]);
  if (lane === null || lane.state === "paused" || ready !== null || payload === null) return null;
  const point = Math.floor(Math.random() * ringSize);
  const waiters = await Promise.all(
    [false, true].map((slow) => waitersAt(ctx, lane, point, { reach: ringSize, most: maxAsked, slow })),
  );
  const mostMs = Math.min(withinMs, (job.deadlineAt ?? Infinity) - now);
  const asked = await Promise.all(
    waiters.flat().map(async ({ workerId, keyHash }): Promise<Second[]> => {
      if (workerId === first._id) return [];
      const [worker, isBusy] = await Promise.all([ctx.db.get("workers", workerId), holdsAny(ctx, keyHash)]);
      if (worker === null || isBusy || !maySucceed(worker, job)) return [];
      const ms = expectedMs(worker.capabilities, job);
      if (ms === null || ms > mostMs || (await isApart(ctx, job, workerId))) return [];
      return [{ worker, payload, expectedMs: ms }];
    }),
  );
  const [soonest] = asked.flat().sort((a, b) => a.expectedMs - b.expectedMs);
  return soonest ?? null;
}

/** A worker that failed the job, or returned it often, is no better than the one that has it. */
function maySucceed(worker: Doc<"workers">, job: Doc<"jobs">): boolean {
  const { status, _id } = worker;
  if (status !== "active" || !matches(worker, job.kind, job.requirements)) return false;
  return !isUnfit(job, worker) && !(job.failedBy ?? []).includes(_id);
}

/** How long text is kept at least, in times of the second worker's expected time. */
const watchedTimes = 4;
const mostWatchedMs = 3_600_000;

/**
 * Hands the job to the second worker, as a submission does. Nobody can steal it. From now on the text of both attempts is
 * kept: it shows whether they are under way, and what the slower one did. @returns the second attempt.
 */
export async function giveToSecond(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  { worker, payload, expectedMs: ms }: Second,
  now: number,
): Promise<Id<"attempts">> {
  const { watchMs } = await settingsOf(ctx, job.scope);
  const until = now + Math.min(mostWatchedMs, Math.max(watchMs, watchedTimes * ms));
  const watched = await watchUntil(ctx, job, until);
  const how = { begun: false, woken: true, watch: {} };
  const attempt = await insertAttempt(ctx, worker, watched, how, now);
  const { attemptId, number } = attempt;
  await ctx.db.patch("payloads", payload._id, handedTo(worker.keyHash, watched, attempt, now));
  await move(ctx, watched, { kind: "double" }, now, {
    job: { secondAttemptId: attemptId, attempts: number, secondAttempts: (job.secondAttempts ?? 0) + 1 },
  });
  await scheduleReclaim(ctx, job.scope, await reclaimOf(ctx, job.scope), now);
  return attemptId;
}
