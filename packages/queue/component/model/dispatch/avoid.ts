import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { ringPositionAt, ringSize, seatOf, unparked } from "../placement.ts";
import { following } from "../rings/neighbors.ts";

/** Others looked at to find one that could run a job. */
const maxHomesRead = 32;

/**
 * Whether a job is left for others: the worker is unfit for it, or was the last to fail or lose it while another that
 * could run it accepts jobs of its lane.
 */
export async function isAvoided(ctx: QueryCtx, job: Doc<"jobs">, worker: Doc<"workers">): Promise<boolean> {
  if (isUnfit(job, worker)) return true;
  if (job.lastFailedWorkerId !== worker._id) return false;
  const homes = await ctx.db
    .query("homes")
    .withIndex("by_lane", (q) => q.eq("laneId", job.laneId))
    .take(maxHomesRead);
  return homes.some(({ workerId }) => workerId !== worker._id && !wasUnfit(job, workerId));
}

type Unfit = NonNullable<Doc<"jobs">["unfit"]>;

type Job = Pick<Doc<"jobs">, "unfit">;

type Worker = Pick<Doc<"workers">, "_id" | "life">;

/** Whether the worker was unfit for this job before, in whatever life. */
export function wasUnfit(job: Job, workerId: Worker["_id"]): boolean {
  return job.unfit?.some((entry) => entry.workerId === workerId) ?? false;
}

/** Whether it was and nothing is new about it since: it has neither started again nor other capabilities. */
export function isUnfit(job: Job, worker: Worker): boolean {
  return job.unfit?.some(({ workerId, life }) => workerId === worker._id && life === worker.life) ?? false;
}

/** The job's list with the worker in it. At most as long as a job survives failures: each entry is one. */
export function withUnfit(job: Job, worker: Worker): Unfit {
  const others = (job.unfit ?? []).filter(({ workerId }) => workerId !== worker._id);
  return [...others, { workerId: worker._id, life: worker.life }];
}

/** Waiting workers looked at, to find one to wake. */
const maxWaitersRead = 8;

/**
 * Where a job stands after a worker could not do it: where one wakes that has not tried it. Else those that would be
 * woken could all be such that leave it alone, while others wait. Nobody waits: where it was, for whoever looks next,
 * also if it lay aside meanwhile.
 */
export async function ringPositionForAnother(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  failed: Id<"workers">,
): Promise<number> {
  const waiting = await following(ctx, "stands", job.laneId, Math.random() * ringSize, maxWaitersRead);
  const other = waiting.find(
    ({ workerId, position }) =>
      workerId !== failed && !wasUnfit(job, workerId) && Math.ceil(position) < ringSize,
  );
  return other === undefined
    ? unparked(job).place
    : ringPositionAt(Math.ceil(other.position)) + seatOf(job.place);
}
