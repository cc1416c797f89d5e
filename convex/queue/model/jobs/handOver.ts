import type { Value } from "convex/values";
import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { minSlots, ringSize, slotOf } from "../placement.ts";
import { waitersAt } from "../rings/neighbours.ts";
import { present } from "../refuse.ts";
import { give } from "./give.ts";
import { holdsAny } from "./held.ts";
import type { InsertedJob } from "./insertJob.ts";

/** So many of those that wait are asked, one after the other: what the first holds will mostly be done in a moment. */
const maxAsked = 3;

/**
 * How far back those that wait are looked for: the whole ring of a small fleet, else four slots, where nearly always
 * one of a fleet that waits is (at one worker to a slot, for 98 points of 100, and mostly more). No further: what comes and goes there meanwhile refuses the submission.
 */
function reachOf(slots: number): number {
  return slots <= minSlots ? ringSize : (4 * ringSize) / slots;
}

/**
 * Gives a job that is ready to the worker that it would wake, or to the one before it that holds nothing, in the
 * transaction that submits it: that saves the claim. It is given as one held ahead: should that worker be dead, it is
 * taken back: recall.ts. The worker goes on standing where it does, until it says that it is at work: what it is
 * handed is mostly done by then, and none of its neighbours has to look. Nobody waits near: the job stands where it is,
 * for whoever looks next. Two stages of reads: who waits; what the first one holds.
 * @param job.affinity without one, any worker will do: one is drawn by chance, so that submissions seldom meet.
 * @returns whether it was given.
 */
export async function handOver(
  ctx: MutationCtx,
  lane: { readonly laneId: Id<"lanes">; readonly slots: number },
  {
    jobId,
    place,
    affinity,
    payload,
  }: Pick<InsertedJob, "jobId" | "place"> & {
    readonly affinity: string | undefined;
    readonly payload: Value;
  },
  now: number,
): Promise<boolean> {
  const point = affinity === undefined ? Math.floor(Math.random() * ringSize) : slotOf(place);
  const around = { reach: reachOf(lane.slots), most: maxAsked };
  const [row, waiter] = await Promise.all([
    ctx.db.get("jobs", jobId),
    waitersAt(ctx, lane.laneId, point, around).then((waiters) =>
      firstFree(ctx, affinity === undefined ? shuffled(waiters) : waiters),
    ),
  ]);
  if (waiter === null) return false;
  const job = present(row, "submitted job");
  const { workerId, keyHash } = waiter;
  await give(ctx, { _id: workerId, keyHash }, { job, payload }, { begun: false, woken: true }, now);
  return true;
}

/** One at work has more to keep apart: it claims what it has room for. */
async function firstFree(ctx: MutationCtx, waiters: readonly Doc<"stands">[]): Promise<Doc<"stands"> | null> {
  for (const waiter of waiters) if (!(await holdsAny(ctx, waiter.keyHash))) return waiter;
  return null;
}

/** One before which much of the ring lies empty would be met by many. */
function shuffled<T>(few: readonly T[]): readonly T[] {
  return few
    .map((each) => ({ each, draw: Math.random() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ each }) => each);
}
