import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { authenticate } from "../authenticate.ts";
import type { MutationCtx } from "../builders.ts";
import { capacityOf } from "../capabilities.ts";
import { heldByKey } from "../jobs/held.ts";
import { leaseByKey, renew } from "../leases/renew.ts";
import { removeWaiters, waitersByKey } from "../rings/membership.ts";
import { heldLimit } from "../workers/allowed.ts";
import { unstartedJobs } from "./assign.ts";
import { applyPlan, checkDemand, planNext, stickyLane } from "./next.ts";
import { noCursor } from "./search.ts";

/**
 * A worker asks for jobs, and accepts jobs from now on: it waits for those that are missing. The answer includes the
 * unstarted jobs that it holds, which it may have been handed unseen.
 */
export async function take(
  ctx: MutationCtx,
  { keyHash, demand }: WorkerCall<"take">,
  now: number,
): Promise<WorkerAnswer<"take">> {
  checkDemand(demand);
  const [worker, lease, held, waiters, sticky] = await Promise.all([
    authenticate(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    heldByKey(ctx, keyHash),
    waitersByKey(ctx, keyHash),
    stickyLane(ctx, demand),
  ]);
  if (worker.status === "paused") return { kind: "unable", reason: "paused" };
  if (held.length >= capacityOf(worker.capabilities).held) {
    await renew(ctx, worker, lease, now, { holds: true });
    await removeWaiters(ctx, waiters);
    const jobs = await unstartedJobs(ctx, held);
    const limit = heldLimit(worker);
    const cursor = demand.cursor ?? noCursor;
    if (jobs.length > 0) return { kind: "ok", jobs, subscriptions: [], cursor, ...limit };
    return { kind: "unable", reason: "full", ...limit };
  }
  const [handed, planned] = await Promise.all([
    unstartedJobs(ctx, held),
    planNext(ctx, worker, sticky, demand, held.length, now, { joins: true }),
  ]);
  await renew(ctx, worker, lease, now, { holds: held.length + planned.found.length > 0 });
  const next = await applyPlan(ctx, worker, planned, waiters, now);
  return { kind: "ok", ...next, jobs: [...handed, ...next.jobs] };
}
