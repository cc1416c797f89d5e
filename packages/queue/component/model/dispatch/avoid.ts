import type { Doc, Id, QueryCtx } from "../builders.ts";
import { wasUnfit } from "../jobs/positionForAnother.ts";

/** The most workers of a lane that are checked for one that could run the job. */
const maxHomesRead = 32;

/** The most jobs that are kept apart from each other. More are not read. */
const maxApart = 8;

/** The job ended, and nobody answered it. */
const withoutAnswer: ReadonlySet<string> = new Set(["failed", "canceled", "expired"]);

/** The workers that never get the job, and those that have, or have done, another of the jobs that it is kept apart from. */
async function workersApart(ctx: QueryCtx, job: Doc<"jobs">): Promise<readonly Id<"workers">[]> {
  const { scope, kind, apart, exceptWorkers = [] } = job;
  if (apart === undefined) return exceptWorkers;
  const [jobs, named] = await Promise.all([
    ctx.db
      .query("jobs")
      .withIndex("by_apart", (q) => q.eq("scope", scope).eq("apart", apart).eq("kind", kind))
      .take(maxApart),
    namedJob(ctx, job, apart),
  ]);
  const attemptIds = [...jobs, ...named].flatMap(({ _id, status, currentAttemptId, secondAttemptId }) =>
    _id === job._id || withoutAnswer.has(status)
      ? []
      : [currentAttemptId, secondAttemptId].filter((id) => id !== undefined),
  );
  const attempts = await Promise.all(attemptIds.map((id) => ctx.db.get("attempts", id)));
  return [...exceptWorkers, ...attempts.flatMap((attempt) => (attempt === null ? [] : [attempt.workerId]))];
}

/** The job whose id the text is, as a list; none if it is another text. */
async function namedJob(
  ctx: QueryCtx,
  { scope }: Doc<"jobs">,
  apart: string,
): Promise<readonly Doc<"jobs">[]> {
  const jobId = ctx.db.normalizeId("jobs", apart);
  const named = jobId === null ? null : await ctx.db.get("jobs", jobId);
  return named?.scope === scope ? [named] : [];
}

/** Whether a job is kept from the worker, or apart from another one that the worker has or has done. */
export async function isApart(ctx: QueryCtx, job: Doc<"jobs">, workerId: Id<"workers">): Promise<boolean> {
  return (await workersApart(ctx, job)).includes(workerId);
}

/**
 * Whether a worker leaves a job to others: the job is kept from it, it is unfit for the job, has one that this job is kept apart from, or
 * it failed, lost or often returned it and another accepting worker could run it. Workers that did not do so come first. After them, all but the last one may try again.
 */
export async function isAvoided(ctx: QueryCtx, job: Doc<"jobs">, worker: Doc<"workers">): Promise<boolean> {
  if (isUnfit(job, worker) || (await isApart(ctx, job, worker._id))) return true;
  const wasLast = job.lastFailedWorkerId === worker._id;
  const failedBy = job.failedBy ?? [];
  if (!wasLast && !failedBy.includes(worker._id)) return false;
  const others = await othersFor(ctx, job, worker._id);
  return wasLast ? others.length > 0 : others.some((workerId) => !failedBy.includes(workerId));
}

/** The accepting workers beside this one that could run the job, as far as they are read. */
export async function othersFor(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  workerId: Id<"workers">,
): Promise<Id<"workers">[]> {
  const [homes, apart] = await Promise.all([
    ctx.db
      .query("homes")
      .withIndex("by_lane", (q) => q.eq("laneId", job.laneId))
      .take(maxHomesRead),
    workersApart(ctx, job),
  ]);
  return homes
    .map((home) => home.workerId)
    .filter((other) => other !== workerId && !wasUnfit(job, other) && !apart.includes(other));
}

type Unfit = NonNullable<Doc<"jobs">["unfit"]>;

type Job = Pick<Doc<"jobs">, "unfit">;

type Worker = Pick<Doc<"workers">, "_id" | "life">;

/** Whether the worker is still unfit: since then it has not restarted and has no new capabilities. */
export function isUnfit(job: Job, worker: Worker): boolean {
  return job.unfit?.some(({ workerId, life }) => workerId === worker._id && life === worker.life) ?? false;
}

/** Adds the worker to the job's list. The list is short: a job that many workers could not run is a dead letter. */
export function withUnfit(job: Job, worker: Worker): Unfit {
  const others = (job.unfit ?? []).filter(({ workerId }) => workerId !== worker._id);
  return [...others, { workerId: worker._id, life: worker.life }];
}
