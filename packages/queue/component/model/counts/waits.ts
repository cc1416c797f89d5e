import { type Infer, v } from "convex/values";
import { priorities } from "../priority.ts";
import type { Settings } from "../settings.ts";

/** How fast a lane's workers end jobs. Measured on some of them. */
export const lanePace = v.object({
  laneId: v.id("lanes"),
  /** All workers that take the lane's jobs. An estimate beyond 64. */
  workers: v.number(),
  /** The workers that were looked at: the first of the ring. */
  sampled: v.array(v.object({ workerId: v.id("workers"), position: v.number() })),
  /** How long one worker takes for one job of the lane, in ms. Null if too few have ended. */
  jobMs: v.union(v.number(), v.null()),
});
export type LanePace = Infer<typeof lanePace>;

/** The ready jobs of a lane, by priority. */
export type LaneQueue = { readonly laneId: LanePace["laneId"]; readonly ready: readonly number[] };

/** A try at a job that has begun. Times are ms epoch; `to` is now for one that goes on. */
export type Busy = { readonly from: number; readonly to: number; readonly succeeded: boolean };

/** Fewer ended jobs say little about the next. */
const fewest = 5;

/**
 * How long one of these workers takes for one job on average, in ms: their number, divided by the jobs that they end
 * together in a millisecond. The rates are added, because a fast worker ends more jobs than a slow one. Jobs at the same time
 * share their time, and failed tries cost time, too. Null: too few have succeeded.
 * @param byWorker the last tries of each worker. Those without any are left out.
 */
export function jobMsOf(byWorker: readonly (readonly Busy[])[]): number | null {
  const tried = byWorker.filter((tries) => tries.length > 0);
  if (tried.flat().filter(hasSucceeded).length < fewest) return null;
  return tried.length / tried.reduce((sum, tries) => sum + rateOf(tries), 0);
}

/** The jobs that a worker ends in a millisecond in which it is busy. */
function rateOf(tries: readonly Busy[]): number {
  return tries.filter(hasSucceeded).length / Math.max(1, busyMs(tries));
}

function hasSucceeded({ succeeded }: Busy): boolean {
  return succeeded;
}

/** The length of the union of the intervals. */
function busyMs(tries: readonly Busy[]): number {
  let sum = 0;
  let end = -Infinity;
  for (const { from, to } of [...tries].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

/**
 * How long a new job of a lane would wait, in ms, for each priority: the work that its workers do before it, divided by
 * their number. Jobs of other lanes count as far as the lane's workers take those, too. Null if the lane has no workers, or
 * none that was measured: an unknown wait refuses nobody.
 */
export function expectedWaits(
  { laneId, workers, sampled, jobMs }: LanePace,
  queues: readonly LaneQueue[],
  paces: readonly LanePace[],
): readonly number[] | null {
  if (workers === 0 || jobMs === null) return null;
  const own = new Set(sampled.map(({ workerId }) => workerId));
  const last = sampled.at(-1)?.position ?? -1;
  const shares = queues.flatMap((queue) => {
    const pace = paces.find((one) => one.laneId === queue.laneId);
    if (pace?.jobMs == null) return [];
    if (queue.laneId === laneId) return [{ queue, ms: pace.jobMs }];
    // Only where both samples reach.
    const seen = pace.sampled.filter(({ position }) => position <= last);
    const shared = seen.filter(({ workerId }) => own.has(workerId)).length;
    return seen.length === 0 ? [] : [{ queue, ms: pace.jobMs * (shared / seen.length) }];
  });
  return priorities.map((level) => {
    const before = shares.reduce(
      (sum, { queue, ms }) => sum + ms * queue.ready.slice(0, level + 1).reduce((a, b) => a + b, 0),
      0,
    );
    return Math.round(before / workers);
  });
}

/** A low priority is shed first, a high one last: by priority, in times of the longest wait. */
const bounds = [2, 1, 0.5] as const;

/** The longest wait of a new job, in ms. @param called whether a caller waits for its answer. */
export function longestWaitMs(
  { maxWaitMs, maxCallWaitMs }: Pick<Settings, "maxWaitMs" | "maxCallWaitMs">,
  { level, called }: { readonly level: number; readonly called: boolean },
): number {
  return (called ? maxCallWaitMs : maxWaitMs) * (bounds[level] ?? 1);
}

/** Whether the wait is too long for some new job, so that submissions have to know it. */
export function mayShed(
  waits: readonly number[] | null,
  settings: Pick<Settings, "maxWaitMs" | "maxCallWaitMs">,
): boolean {
  return (waits ?? []).some((ms, level) =>
    [true, false].some((called) => ms > longestWaitMs(settings, { level, called })),
  );
}
