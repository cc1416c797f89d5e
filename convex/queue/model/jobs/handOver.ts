import type { Id, MutationCtx } from "../../builders.ts";
import { leaseByKey } from "../leases/renew.ts";
import { minSlots, ringSize, slotOf } from "../placement.ts";
import { dropStands, standsByKey } from "../rings/membership.ts";
import { waiterAt } from "../rings/neighbours.ts";
import { present } from "../refuse.ts";
import { give } from "./give.ts";
import { holdsAny } from "./held.ts";
import type { InsertedJob } from "./insertJob.ts";

/**
 * How far back the one that waits is looked for: the whole ring of a small fleet, else two slots, where nearly always
 * one of a fleet that waits is. No further: what comes and goes there meanwhile refuses the submission.
 */
function reachOf(slots: number): number {
  return slots <= minSlots ? ringSize : (2 * ringSize) / slots;
}

/**
 * Gives a job that is ready to the worker that it would wake, in the transaction that submits it: that saves the claim.
 * It is given as one held ahead: should that worker be dead, the next one takes it 2 s later. Nobody waits near:
 * the job stands where it is, for whoever looks next. Two stages of reads: who waits; its other stands and its lease.
 */
export async function handOver(
  ctx: MutationCtx,
  lane: { readonly laneId: Id<"lanes">; readonly slots: number },
  { jobId, place }: Pick<InsertedJob, "jobId" | "place">,
  now: number,
): Promise<void> {
  const [row, waiter] = await Promise.all([
    ctx.db.get("jobs", jobId),
    waiterAt(ctx, lane.laneId, slotOf(place), reachOf(lane.slots)),
  ]);
  if (waiter === null) return;
  const job = present(row, "submitted job");
  const { workerId, keyHash } = waiter;
  const [stands, lease, isBusy] = await Promise.all([
    standsByKey(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    holdsAny(ctx, keyHash),
  ]);
  // One at work has more to keep apart: it claims what it has room for.
  if (lease === null || isBusy) return;
  await give(ctx, { _id: workerId, keyHash }, { job, payload: null }, { begun: false, woken: true }, now);
  await dropStands(ctx, stands);
  // It is a worker that holds something now, though it has not said anything.
  const deadline = now + lease.leaseMs;
  if ((lease.deadline ?? Infinity) > deadline) await ctx.db.patch("leases", lease._id, { deadline });
}
