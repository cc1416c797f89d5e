import type { Doc } from "../../builders.ts";

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
