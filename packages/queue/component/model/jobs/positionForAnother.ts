import type { Doc, Id, QueryCtx } from "../builders.ts";
import { ringPositionAt, ringSize, seatOf, unparked } from "../placement.ts";
import { following, waitingPosition } from "../rings/neighbors.ts";

/** Whether the worker was unfit for this job in any of its lives. */
export function wasUnfit(job: Pick<Doc<"jobs">, "unfit">, workerId: Id<"workers">): boolean {
  return job.unfit?.some((entry) => entry.workerId === workerId) ?? false;
}

/** The most waiting workers that are checked for one to wake. */
const maxWaitersRead = 8;

/**
 * The ring position for a job after a failure, or for a ready one that is kept from some workers: one that wakes a worker that has not
 * tried the job and may have it. Otherwise it might only wake workers that avoid it while others wait. A job that is kept from workers
 * wakes one that has tried it rather than one that never gets it. If nobody suitable waits, the job keeps its position, and is visible
 * again.
 * @param failed the worker that just failed the job; null if none did.
 */
export async function ringPositionForAnother(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  failed: Id<"workers"> | null,
): Promise<number> {
  const { exceptWorkers = [], failedBy = [] } = job;
  const from = Math.random() * ringSize;
  const tried = failed === null ? failedBy : [...failedBy, failed];
  const untried = await waiterAfter(ctx, job, from, [...exceptWorkers, ...tried]);
  const other =
    untried === null && tried.length > 0 && exceptWorkers.length > 0
      ? await waiterAfter(ctx, job, from, exceptWorkers)
      : untried;
  return other === null
    ? unparked(job).place
    : ringPositionAt(Math.ceil(other % ringSize)) + seatOf(job.place);
}

/** The position of a worker that waits in the job's lane after a point, is not among those to avoid, and was never unfit. */
async function waiterAfter(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  from: number,
  avoided: readonly Id<"workers">[],
): Promise<number | null> {
  const { exceptWorkers = [] } = job;
  for (const slow of [false, true]) {
    const at = waitingPosition(from, { slow });
    const waiting = await following(ctx, "stands", job.laneId, at, maxWaitersRead + exceptWorkers.length);
    const other = waiting.find(
      ({ workerId, position }) =>
        !wasUnfit(job, workerId) && !avoided.includes(workerId) && Math.ceil(position % ringSize) < ringSize,
    );
    if (other !== undefined) return other.position;
  }
  return null;
}
