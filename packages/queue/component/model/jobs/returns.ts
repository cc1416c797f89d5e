import type { Doc, Id } from "../builders.ts";

/**
 * A worker that returned a job this often leaves it to others while another could run it. A person who comes and goes may
 * end two tries. At the third it is likely that the job takes longer than the worker is ever free, or that the worker only
 * delays it.
 */
const mostReturns = 3;

/** The workers that a job remembers because they returned it. */
const maxRemembered = 16;

type Returns = NonNullable<Doc<"jobs">["returnedBy"]>;

/** The job's returns with one more by this worker. */
export function withReturn(job: Pick<Doc<"jobs">, "returnedBy">, workerId: Id<"workers">): Returns {
  const { returnedBy = [] } = job;
  const times = 1 + (returnedBy.find((entry) => entry.workerId === workerId)?.times ?? 0);
  const others = returnedBy.filter((entry) => entry.workerId !== workerId);
  return [...others, { workerId, times }].slice(-maxRemembered);
}

/** Whether the worker has returned the job too often to get it before others. */
export function hasReturnedOften(returns: Returns, workerId: Id<"workers">): boolean {
  return returns.some((entry) => entry.workerId === workerId && entry.times >= mostReturns);
}

/** The number of times that workers held the job and gave it back, or lost it before they started it. */
export function countReturns({ returnedBy = [] }: Pick<Doc<"jobs">, "returnedBy">): number {
  return returnedBy.reduce((sum, { times }) => sum + times, 0);
}
