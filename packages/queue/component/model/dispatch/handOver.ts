import type { JobSize, Rate } from "../../../shared/validators.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { holdsAny } from "../jobs/held.ts";
import type { HandedTo } from "../jobs/payloads.ts";
import { shuffled } from "../load.ts";
import { hash16, minSlots, ringSize, slotOf } from "../placement.ts";
import { type LaneKey, waitersAt } from "../rings/neighbors.ts";
import { likelyMs } from "../speed.ts";
import { assign, type AssignableJob } from "./assign.ts";
import { isApart } from "./avoid.ts";
import { handedTo } from "./handed.ts";

/** The most waiting workers that are checked, one after the other. Busy ones are soon free. */
const maxAsked = 3;
/** The waiting workers that are read near the job's point. */
const maxRead = 4;

/**
 * How far back along the ring waiting workers are searched. With 32 workers, 98 % of the ring's points have one within
 * this distance. A longer reach would make the submission conflict with more workers.
 */
const nearReach = ringSize / 8;

/** Some waiting workers, from a point backward: the first `most` of them. */
export type Nearby = {
  readonly point: number;
  readonly most: number;
  readonly waiters: readonly Doc<"stands">[];
};

/** The fields of a job that decide which waiting worker gets it. Without all, any of those nearby will do. */
type Preference = {
  readonly affinity?: string | undefined;
  readonly size?: JobSize | undefined;
  readonly apart?: string | undefined;
  readonly exceptWorkers?: readonly string[] | undefined;
};

/**
 * Finds workers that wait where a job will be placed, before its lane is known. With an affinity the search starts at
 * its point, which is at or just after its slot. Otherwise it starts at a random point, so that submissions rarely
 * conflict. If any of the workers will do, it reads as far as the one that is drawn: each row costs a call.
 */
export async function findNearby(ctx: QueryCtx, lane: LaneKey, job: Preference): Promise<Nearby> {
  const { affinity } = job;
  const point = affinity === undefined ? Math.floor(Math.random() * ringSize) : hash16(affinity);
  const most = takesAny(job) ? 1 + Math.floor(Math.random() * maxRead) : maxRead;
  return { point, most, waiters: await waitersAt(ctx, lane, point, { reach: nearReach, most }) };
}

function takesAny(job: Preference): boolean {
  return job.affinity === undefined && job.size === undefined && !isKeptFromSome(job);
}

function isKeptFromSome({ apart, exceptWorkers }: Preference): boolean {
  return apart !== undefined || exceptWorkers !== undefined;
}

/**
 * Gives a ready job to the idle worker that it would wake, or to one before it, in the submitting transaction. That
 * saves the claim. The job is assigned as prefetched, and taken back if the worker does not start it: reclaim.ts. The
 * worker keeps its waiting position until it says that it has started: short jobs are done by then, and no neighbor has
 * to run its query again. If nobody waits nearby, the job stays where it is. One stage of reads, and one more in a
 * small fleet, for a spread affinity, or if the drawn worker is busy.
 * @param given `slowerByMs`: if no fast worker is idle, a slow one gets the job that ends it at most so many ms later than usual.
 * @returns what to store with the job's payload; null if nobody waits nearby.
 */
export async function handOver(
  ctx: MutationCtx,
  lane: LaneKey & { readonly slots: number; readonly rate: Rate | undefined },
  given: AssignableJob & { readonly near: Nearby; readonly slowerByMs: number | undefined },
  now: number,
): Promise<HandedTo | null> {
  const { job, payload, near, slowerByMs } = given;
  const waiter =
    (await idleWaiter(ctx, lane, job, near)) ??
    (slowerByMs === undefined ? null : await idleSlowWaiter(ctx, lane, job, slowerByMs));
  if (waiter === null) return null;
  const { workerId, keyHash } = waiter;
  const how = { begun: false, woken: true };
  const assigned = await assign(ctx, { _id: workerId, keyHash }, { job, payload }, how, now);
  return handedTo(keyHash, job, assigned, now);
}

/** The waiting worker that gets the job; null if none of the workers that were asked is idle. */
async function idleWaiter(
  ctx: MutationCtx,
  lane: LaneKey & { readonly slots: number },
  job: Doc<"jobs">,
  near: Nearby,
): Promise<Doc<"stands"> | null> {
  const { affinity, size, place } = job;
  const { point, most, waiters } = near;
  const drawn = takesAny(job) ? waiters[most - 1] : undefined;
  if (drawn !== undefined) {
    if (!(await holdsAny(ctx, drawn.keyHash))) return drawn;
    const all = await waitersAt(ctx, lane, point, { reach: nearReach, most: maxRead });
    const others = all.filter(({ _id }) => _id !== drawn._id);
    return await firstIdle(ctx, job, shuffled(others), maxAsked - 1);
  }
  const slot = affinity === undefined ? point : slotOf(place);
  // Any idle one is as good as another, unless one may be faster or the nearest must not get the job.
  const enough = size === undefined && !isKeptFromSome(job) ? 1 : maxRead;
  const around = await waitersAround(ctx, lane, near, slot, enough);
  // In random order, because a worker with a large gap before it would get most jobs.
  const inOrder = affinity === undefined ? shuffled(around) : around;
  return await firstIdle(ctx, job, soonest(inOrder, size, affinity !== undefined), maxAsked);
}

/** The idle one of some slow workers that ends the job soonest; null if none of those that were asked is idle and ends it in time. */
async function idleSlowWaiter(
  ctx: MutationCtx,
  lane: LaneKey & { readonly rate: Rate | undefined },
  job: Doc<"jobs">,
  slowerByMs: number,
): Promise<Doc<"stands"> | null> {
  const { size } = job;
  const point = Math.floor(Math.random() * ringSize);
  const waiters = await waitersAt(ctx, lane, point, { reach: ringSize, most: maxRead, slow: true });
  const usualMs = size === undefined || lane.rate === undefined ? 0 : likelyMs(size, lane.rate);
  const inTime = waiters.filter(
    (waiter) => size === undefined || endsIn(waiter, size) <= usualMs + slowerByMs,
  );
  return await firstIdle(ctx, job, soonest(shuffled(inTime), size, false), maxAsked);
}

/**
 * The fast workers that wait at and before a point. Uses those found nearby if they cover the point, and searches all of a
 * small fleet.
 * @param enough in a small fleet, how many have to be found nearby.
 */
async function waitersAround(
  ctx: QueryCtx,
  lane: LaneKey & { readonly slots: number },
  near: Nearby,
  point: number,
  enough: number,
): Promise<readonly Doc<"stands">[]> {
  const back = (position: number): number => (near.point - position + ringSize) % ringSize;
  const found = near.waiters.filter(({ position }) => back(position) >= back(point));
  const isSmall = lane.slots <= minSlots;
  if (back(point) < nearReach && (found.length >= enough || !isSmall)) return found;
  const reach = isSmall ? ringSize : nearReach;
  return await waitersAt(ctx, lane, point, { reach, most: maxRead });
}

async function isIdleFor(ctx: MutationCtx, job: Doc<"jobs">, waiter: Doc<"stands">): Promise<boolean> {
  return !(await holdsAny(ctx, waiter.keyHash)) && !(await isApart(ctx, job, waiter.workerId));
}

/** A busy worker is skipped. It claims further jobs by itself. */
async function firstIdle(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  waiters: readonly Doc<"stands">[],
  most: number,
): Promise<Doc<"stands"> | null> {
  for (const waiter of waiters.slice(0, most)) if (await isIdleFor(ctx, job, waiter)) return waiter;
  return null;
}

/**
 * The waiters that would end a job soonest first. Equal ones keep their order. A worker without a speed counts as fast.
 * @param affine whether the first waiter has probably read the job's input before. One that has to load its model has forgotten it.
 */
export function soonest<W extends Readiness>(
  waiters: readonly W[],
  size: JobSize | undefined,
  affine: boolean,
): readonly W[] {
  if (size === undefined) return waiters;
  return waiters
    .map((waiter, index) => {
      const hasRead = affine && index === 0 && (waiter.setupMs ?? 0) === 0;
      return { waiter, ms: endsIn(waiter, hasRead ? { ...size, input: 0 } : size) };
    })
    .sort((a, b) => a.ms - b.ms)
    .map(({ waiter }) => waiter);
}

type Readiness = { readonly rate?: Rate; readonly setupMs?: number };

/** How long a waiting worker will probably need for a job, in ms. 0 if it has no speed. */
function endsIn({ rate, setupMs = 0 }: Readiness, size: JobSize): number {
  return rate === undefined ? 0 : setupMs + likelyMs(size, rate);
}
