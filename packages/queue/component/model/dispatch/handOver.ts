import type { Value } from "convex/values";
import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import { holdsAny } from "../jobs/held.ts";
import { hash16, minSlots, ringSize, slotOf } from "../placement.ts";
import { present } from "../refuse.ts";
import { type LaneKey, waitersAt } from "../rings/neighbors.ts";
import { assign } from "./assign.ts";

/** So many of those that wait are asked, one after the other: what the first holds will mostly be done in a moment. */
const maxAsked = 3;

/**
 * How far back those that wait are looked for: where 32 accept, nearly always one of a fleet that waits is within (for
 * 98 points of 100). No further: what comes and goes there meanwhile refuses the submission.
 */
const nearReach = ringSize / 8;

/** Some of those that wait, from a point on backwards. */
export type Nearby = { readonly point: number; readonly waiters: readonly Doc<"stands">[] };

/**
 * Who waits where a job will stand, as far as that is known before its lane is: at the point of its affinity, which its
 * slot lies just before; without one any worker will do: at a point drawn by chance, so that submissions seldom meet.
 */
export async function findNearby(
  ctx: QueryCtx,
  lane: LaneKey,
  affinity: string | undefined,
): Promise<Nearby> {
  const point = affinity === undefined ? Math.floor(Math.random() * ringSize) : hash16(affinity);
  return { point, waiters: await waitersAt(ctx, lane, point, { reach: nearReach, most: maxAsked + 1 }) };
}

/**
 * Gives a job that is ready to the worker that it would wake, or to the one before it that holds nothing, in the
 * transaction that submits it: that saves the claim. It is given as one held ahead: should that worker be dead, it is
 * taken back: recall.ts. The worker goes on standing where it does, until it says that it is at work: what it is
 * handed is mostly done by then, and none of its neighbours has to look. Nobody waits near: the job stands where it is,
 * for whoever looks next. A stage of reads, what the first one holds; one more in a small fleet, and where an affinity
 * is spread: who waits.
 * @returns whether it was given.
 */
export async function handOver(
  ctx: MutationCtx,
  lane: LaneKey & { readonly slots: number },
  {
    jobId,
    place,
    affinity,
    payload,
    near,
  }: {
    readonly jobId: Id<"jobs">;
    readonly place: number;
    readonly affinity: string | undefined;
    readonly payload: Value;
    readonly near: Nearby;
  },
  now: number,
): Promise<boolean> {
  const [row, waiter] = await Promise.all([
    ctx.db.get("jobs", jobId),
    affinity === undefined
      ? waitersAround(ctx, lane, near, near.point).then((waiters) => firstIdle(ctx, shuffled(waiters)))
      : waitersAround(ctx, lane, near, slotOf(place)).then((waiters) => firstIdle(ctx, waiters)),
  ]);
  if (waiter === null) return false;
  const job = present(row, "submitted job");
  const { workerId, keyHash } = waiter;
  await assign(ctx, { _id: workerId, keyHash }, { job, payload }, { begun: false, woken: true }, now);
  return true;
}

/** Who waits at a point, and before it: of those near, where they reach there; in a small fleet, of all. */
async function waitersAround(
  ctx: QueryCtx,
  lane: LaneKey & { readonly slots: number },
  near: Nearby,
  point: number,
): Promise<readonly Doc<"stands">[]> {
  const back = (position: number): number => (near.point - position + ringSize) % ringSize;
  const found = near.waiters.filter(({ position }) => back(position) >= back(point)).slice(0, maxAsked);
  const isSmall = lane.slots <= minSlots;
  if (back(point) < nearReach && (found.length > 0 || !isSmall)) return found;
  const reach = isSmall ? ringSize : nearReach;
  return await waitersAt(ctx, lane, point, { reach, most: maxAsked });
}

/** One at work has more to keep apart: it claims what it has room for. */
async function firstIdle(ctx: MutationCtx, waiters: readonly Doc<"stands">[]): Promise<Doc<"stands"> | null> {
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
