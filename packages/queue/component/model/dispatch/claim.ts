import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { authenticate } from "../authenticate.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { capacityOf } from "../capabilities.ts";
import { heldByKey } from "../jobs/held.ts";
import { payloadOf } from "../jobs/payloads.ts";
import { lastAttemptOf } from "../jobs/rows.ts";
import { laneName, matches } from "../lanes/requirements.ts";
import { leaseByKey, renew } from "../leases/renew.ts";
import { idOf } from "../load.ts";
import { slotOf } from "../placement.ts";
import { removeWaiters, subscriptionOf, waitersByKey } from "../rings/membership.ts";
import { type LaneKey, waiterBefore } from "../rings/neighbors.ts";
import { patienceMs } from "../speed.ts";
import { widen } from "../spreads/spread.ts";
import { assign, hasJustReleased, isOverdue, mayBeStarting } from "./assign.ts";
import { isAvoided } from "./avoid.ts";
import { checkDemand } from "./next.ts";

/** A job that was ready for less than this did not wait for a free worker. */
const promptMs = 1_000;

/**
 * Gives a waiting worker a ready job, or a late one that another worker has prefetched. Eight parallel reads of the
 * job's, the worker's and the lane's rows, so only claims of the same job conflict. A second stage reads the lane if
 * the worker did not name it, the position of the worker that should have taken the job, or the affinity's spread.
 */
export async function claim(
  ctx: MutationCtx,
  { keyHash, jobId, late, laneId, backlogged = false, demand }: WorkerCall<"claim">,
  now: number,
): Promise<WorkerAnswer<"claim">> {
  checkDemand(demand);
  const id = idOf(ctx, "jobs", jobId);
  const knownLane = laneId === undefined ? null : idOf(ctx, "lanes", laneId);
  const [worker, lease, held, waiters, job, payload, last, hinted] = await Promise.all([
    authenticate(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    heldByKey(ctx, keyHash),
    waitersByKey(ctx, keyHash),
    id === null ? null : ctx.db.get("jobs", id),
    id === null ? null : payloadOf(ctx, id),
    id === null ? null : lastAttemptOf(ctx, id),
    knownLane === null ? null : ctx.db.get("lanes", knownLane),
  ]);
  if (job?.scope !== worker.scope || payload === null || isOverdue(job, now)) return { kind: "taken" };
  const capacity = capacityOf(worker.capabilities);
  const begun = held.length < capacity.running;
  // A prefetched job may be stolen only by a worker that starts it at once, and only late.
  const stolen = job.status === "prefetched" && late && begun && last?.workerId !== worker._id;
  if (job.status !== "ready" && !stolen) return { kind: "taken" };
  if (hasJustReleased(worker, last, now) || mayBeStarting(job, last, now)) return { kind: "taken" };
  // The worker was handed a job meanwhile and is about to start that one instead.
  if (!begun && held.some(({ status }) => status === "prefetched")) return { kind: "taken" };
  if (held.length >= capacity.held || !mayRun(worker, job) || (await isAvoided(ctx, job, worker)))
    return { kind: "unable" };
  const own = waiters.find(({ laneId }) => laneId === job.laneId);
  const [lane, before] = await Promise.all([
    hinted?._id === job.laneId ? hinted : ctx.db.get("lanes", job.laneId),
    late && !stolen && own !== undefined ? waiterBefore(ctx, laneKeyOf(job), slotOf(job.place), own) : null,
  ]);
  if (lane === null || lane.state === "paused") return { kind: "unable" };
  const unresponsive = before !== null && !isPatient(before, job, lane, now) ? before : null;

  if (backlogged && !late && waiters.length > 0 && job.affinity !== undefined) {
    await widen(ctx, lane, job.affinity, now);
  }
  // A prefetched job may still be stolen, so it does not count as woken.
  const woken = begun && now - (job.readyAt ?? now) < promptMs;
  const how = { begun, woken, isSteal: late };
  const claimed = await assign(ctx, worker, { job, payload: payload.payload }, how, now);
  await renew(ctx, worker, lease, now, { holds: true });
  // A worker with free capacity keeps its place in the ring.
  const waitsOn = demand.jobs > 0 && held.length + 1 < capacity.running;
  await removeWaiters(ctx, [...(waitsOn ? [] : waiters), ...(unresponsive === null ? [] : [unresponsive])]);
  return {
    kind: "claimed",
    job: claimed,
    subscriptions: waitsOn ? waiters.map(subscriptionOf) : [],
    cursor: { laneId: job.laneId, place: job.place, turn: demand.cursor?.turn ?? 0 },
  };
}

/** Whether a waiting worker is slow and still leaves the job to faster ones, so that its silence means nothing. */
function isPatient(
  { rate }: Doc<"stands">,
  { size, readyAt = 0 }: Doc<"jobs">,
  lane: Doc<"lanes">,
  now: number,
): boolean {
  const patience = patienceMs(size, rate, lane.rate);
  return patience > 0 && now - readyAt < patience + promptMs;
}

function laneKeyOf({ scope, kind, requirements = {} }: Doc<"jobs">): LaneKey {
  return { scope, name: laneName(kind, requirements) };
}

function mayRun(worker: Doc<"workers">, job: Doc<"jobs">): boolean {
  return worker.status === "active" && matches(worker, job.kind, job.requirements);
}
