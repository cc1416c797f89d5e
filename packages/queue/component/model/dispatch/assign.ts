import { convexToJson, type Value } from "convex/values";
import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import type { ClaimedJob } from "../../validators.ts";
import { ranOut } from "../end/expire.ts";
import { move } from "../jobs/move.ts";
import { payloadOf } from "../jobs/rows.ts";
import { defined } from "../load.ts";
import { parked } from "../placement.ts";
import { removeWaiters, waitersByKey } from "../rings/membership.ts";

/** As long as workers leave what another was handed and has not said to have begun: packages/queue/worker/times.ts. */
export const startWithinMs = 2_000;
/** A larger payload is not kept beside the attempt: who is handed the job reads it. */
const maxHandedChars = 4_096;

/** A job that can be given to a worker, with what has to be known to give it. */
export type AssignableJob = { readonly job: Doc<"jobs">; readonly payload: Value };

/**
 * Gives a ready job to a worker, or a prefetched one that it steals, with a new attempt. Writes without reading but
 * for what `move` reads.
 * @param how.begun false: it is held ahead, and can be stolen until it begins.
 * @param how.woken whether the worker waited for it.
 */
export async function assign(
  ctx: MutationCtx,
  worker: Pick<Doc<"workers">, "_id" | "keyHash">,
  { job, payload }: AssignableJob,
  { begun, woken = false }: { readonly begun: boolean; readonly woken?: boolean },
  now: number,
): Promise<ClaimedJob> {
  const number = job.attempts + 1;
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
    ...(woken && !begun ? { handedAt: now } : {}),
    ...(woken && !begun && isSmall(payload) ? { handed: handedOf({ job, payload }) } : {}),
    claimedAt: now,
  });
  const kind = job.status === "prefetched" ? "steal" : "claim";
  if (kind === "steal") await removeUnresponsive(ctx, job);
  const given = { currentAttemptId: attemptId, attempts: number };
  // Whose arc it is, and who looks for something to steal, need not look: it is its worker's.
  const parked = woken && !begun ? parked(job) : {};
  await move(ctx, job, { kind, begun }, now, { job: { ...given, ...parked } });
  return claimedView({ job, payload }, { attemptId, number, begun }, now);
}

function isSmall(payload: Value): boolean {
  return JSON.stringify(convexToJson(payload)).length <= maxHandedChars;
}

function handedOf({ job, payload }: AssignableJob): NonNullable<Doc<"attempts">["handed"]> {
  const { requirements, watched, deadlineAt } = job;
  return { payload, watched, ...defined({ requirements, deadlineAt }) };
}

/** Who was handed a job and has not begun it does not listen: it waits nowhere any more. */
export async function removeUnresponsive(ctx: MutationCtx, { currentAttemptId }: Doc<"jobs">): Promise<void> {
  const attempt = currentAttemptId === undefined ? null : await ctx.db.get("attempts", currentAttemptId);
  if (attempt?.woken === true) await removeWaiters(ctx, await waitersByKey(ctx, attempt.keyHash));
}

/** As much of a job as a worker is told. */
export type TellableJob = {
  readonly job: Pick<Doc<"jobs">, "_id" | "kind" | "requirements" | "watched" | "deadlineAt">;
  readonly payload: Value;
};

/** A job as the worker is told of it that holds it. @param since its remaining time is counted from then. */
function claimedView(
  { job, payload }: TellableJob,
  attempt: Pick<ClaimedJob, "attemptId" | "number" | "begun">,
  since: number,
): ClaimedJob {
  const { _id: jobId, kind, requirements = {}, watched, deadlineAt } = job;
  const remainingMs = deadlineAt === undefined ? null : Math.max(0, deadlineAt - since);
  return { ...attempt, jobId, kind, payload, requirements, watched, remainingMs };
}

/** Whether the worker is the one that gave the job back, just now. */
export function hasJustReleased(worker: Doc<"workers">, last: Doc<"attempts"> | null, now: number): boolean {
  return last?.workerId === worker._id && now < (last.pausedUntil ?? 0);
}

/**
 * Whether a job was handed to a worker that waited, so lately that it may have begun and not said so: a worker that looks
 * for work leaves it to that one.
 */
export function isBeingBegun(job: Doc<"jobs">, last: Doc<"attempts"> | null, now: number): boolean {
  return job.status === "prefetched" && last?.woken === true && now < last.claimedAt + startWithinMs;
}

/** Whether its time to begin or to be done has passed: its expiry is about to be noted. */
export function isOverdue(job: Doc<"jobs">, now: number): boolean {
  return ranOut(job, now) !== null;
}

/**
 * What a worker holds and has not begun, as it is told of it. One stage of reads for all of it; none for what its
 * attempt was handed with.
 */
export async function unstartedJobs(ctx: QueryCtx, held: readonly Doc<"attempts">[]): Promise<ClaimedJob[]> {
  const waiting = held.filter(({ status }) => status === "prefetched");
  const found = await Promise.all(
    waiting.map(async (attempt): Promise<ClaimedJob[]> => {
      const given = await readUnstarted(ctx, attempt);
      if (given === null) return [];
      const held = { attemptId: attempt._id, number: attempt.number, begun: false };
      // Queries have no clock: the time since it was given is the worker's to know.
      return [claimedView(given, held, attempt.claimedAt)];
    }),
  );
  return found.flat();
}

async function readUnstarted(
  ctx: QueryCtx,
  { jobId, kind, handed }: Doc<"attempts">,
): Promise<TellableJob | null> {
  if (handed !== undefined) return { job: { _id: jobId, kind, ...handed }, payload: handed.payload };
  const [job, payload] = await Promise.all([ctx.db.get("jobs", jobId), payloadOf(ctx, jobId)]);
  return job === null || payload === null ? null : { job, payload: payload.payload };
}
