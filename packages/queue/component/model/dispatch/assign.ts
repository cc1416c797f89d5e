import type { Value } from "convex/values";
import { type ClaimedJob, notStarted } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { ranOut } from "../end/expire.ts";
import { move, overdueFrom } from "../jobs/move.ts";
import { payloadOf } from "../jobs/payloads.ts";
import { defined } from "../load.ts";
import { parked } from "../placement.ts";
import { removeWaiters, waitersByKey } from "../rings/membership.ts";
import { armCheck, suspectFrom, type Suspicion } from "../suspicion.ts";
import { freshOf } from "./fresh.ts";

/**
 * A worker has to start a handed job within this time. Until then other workers leave the job alone:
 * packages/queue/worker/contract/times.ts.
 */
export const startWithinMs = 2_000;
/** A job with the payload that its worker needs. */
export type AssignableJob = { readonly job: Doc<"jobs">; readonly payload: Value };

/**
 * Assigns a ready job to a worker, or a prefetched one that it steals. Creates an attempt. Reads only what `move`
 * reads.
 */
export async function assign(
  ctx: MutationCtx,
  worker: Assignee,
  { job, payload }: AssignableJob,
  { begun, woken = false, isSteal = false }: Assignment,
  now: number,
): Promise<ClaimedJob> {
  const watch = begun ? suspectFrom(worker, job, now) : {};
  const kind = job.status === "prefetched" ? "steal" : "claim";
  const unresponsive = kind === "steal" && (await removeUnresponsive(ctx, job.currentAttemptId));
  const how = { begun, woken, isSteal: kind === "steal" ? !unresponsive : isSteal, watch };
  const { attemptId, number, fresh } = await insertAttempt(ctx, worker, job, how, now);
  const given = { currentAttemptId: attemptId, attempts: number };
  // The job is hidden, so other workers do not see it in their arcs or steal it.
  const spot = woken && !begun ? parked(job) : {};
  const attempt = unresponsive ? { releaseReason: notStarted } : {};
  await move(ctx, job, { kind, begun }, now, { job: { ...given, ...spot }, attempt });
  await armCheck(ctx, job.scope, watch, now);
  return claimedView({ job, payload }, { attemptId, number, begun, fresh }, now);
}

type Assignment = {
  /** False: the job is prefetched, and can be stolen until it starts. */
  readonly begun: boolean;
  /** Whether the worker waited for the job. */
  readonly woken?: boolean;
  /** Whether the ready job is beyond the worker's part of the ring. */
  readonly isSteal?: boolean;
};

/** A worker that gets a job. Its capabilities only matter if it begins at once. */
type Assignee = Pick<Doc<"workers">, "_id" | "keyHash" | "capabilities">;

/** Creates the attempt of a worker that gets a job. `watch`: when to look whether it takes too long. */
export async function insertAttempt(
  ctx: MutationCtx,
  worker: Assignee,
  job: Doc<"jobs">,
  {
    begun,
    woken,
    isSteal = false,
    watch,
  }: {
    readonly begun: boolean;
    readonly woken: boolean;
    readonly isSteal?: boolean;
    readonly watch: Suspicion;
  },
  now: number,
): Promise<{ readonly attemptId: Id<"attempts">; readonly number: number; readonly fresh?: Value }> {
  const number = job.attempts + 1;
  const data = defined({ fresh: await freshOf(ctx, job) });
  const model = job.requirements?.model;
  const attemptId = await ctx.db.insert("attempts", {
    scope: job.scope,
    jobId: job._id,
    laneId: job.laneId,
    workerId: worker._id,
    keyHash: worker.keyHash,
    kind: job.kind,
    ...(model === undefined ? {} : { model }),
    number,
    status: begun ? "running" : "prefetched",
    open: true,
    ...(woken ? { woken } : {}),
    ...(isSteal ? { isSteal } : {}),
    ...(woken && !begun ? { handedAt: now } : {}),
    claimedAt: now,
    ...(begun ? overdueFrom(job, now) : {}),
    ...data,
    ...watch,
  });
  return { attemptId, number, ...data };
}

/**
 * Stops the wait of a worker that did not start the job it was handed: it does not listen. @returns whether it was handed the
 * job. Otherwise it had claimed it in reserve.
 */
export async function removeUnresponsive(
  ctx: MutationCtx,
  attemptId: Id<"attempts"> | undefined,
): Promise<boolean> {
  const attempt = attemptId === undefined ? null : await ctx.db.get("attempts", attemptId);
  if (attempt?.woken !== true) return false;
  await removeWaiters(ctx, await waitersByKey(ctx, attempt.keyHash));
  return true;
}

/** The fields of a job that its worker gets. */
export type JobForWorker = {
  readonly job: Pick<Doc<"jobs">, "_id" | "kind" | "requirements" | "watched" | "deadlineAt">;
  readonly payload: Value;
};

/** A job as its worker sees it. @param since the remaining time counts from this time. */
export function claimedView(
  { job, payload }: JobForWorker,
  {
    fresh,
    ...attempt
  }: Pick<ClaimedJob, "attemptId" | "number" | "begun"> & { readonly fresh: Value | undefined },
  since: number,
): ClaimedJob {
  const { _id: jobId, kind, requirements = {}, watched, deadlineAt } = job;
  const remainingMs = deadlineAt === undefined ? null : Math.max(0, deadlineAt - since);
  return { ...attempt, jobId, kind, payload, requirements, watched, remainingMs, ...defined({ fresh }) };
}

/** Whether this worker has just released the job. */
export function hasJustReleased(worker: Doc<"workers">, last: Doc<"attempts"> | null, now: number): boolean {
  return last?.workerId === worker._id && now < (last.pausedUntil ?? 0);
}

/**
 * Whether the job was handed to a waiting worker so recently that it may have started. Other workers leave it alone.
 */
export function mayBeStarting(job: Doc<"jobs">, last: Doc<"attempts"> | null, now: number): boolean {
  return job.status === "prefetched" && last?.woken === true && now < last.claimedAt + startWithinMs;
}

/** Whether the job has run out of time. It will be marked as expired soon. */
export function isOverdue(job: Doc<"jobs">, now: number): boolean {
  return ranOut(job, now) !== null;
}

/** The unstarted jobs that a worker holds, as it sees them. One stage of reads. */
export async function unstartedJobs(ctx: QueryCtx, held: readonly Doc<"attempts">[]): Promise<ClaimedJob[]> {
  const waiting = held.filter(({ status }) => status === "prefetched");
  const found = await Promise.all(
    waiting.map(async (attempt): Promise<ClaimedJob[]> => {
      const given = await readUnstarted(ctx, attempt);
      if (given === null) return [];
      const held = { attemptId: attempt._id, number: attempt.number, begun: false, fresh: attempt.fresh };
      // Queries have no clock, so the worker subtracts the time since the assignment.
      return [claimedView(given, held, attempt.claimedAt)];
    }),
  );
  return found.flat();
}

async function readUnstarted(ctx: QueryCtx, { jobId }: Doc<"attempts">): Promise<JobForWorker | null> {
  const [job, payload] = await Promise.all([ctx.db.get("jobs", jobId), payloadOf(ctx, jobId)]);
  return job === null || payload === null ? null : { job, payload: payload.payload };
}
