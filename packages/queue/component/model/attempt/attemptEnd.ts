import type { WorkerCall } from "../../../shared/work.ts";
import { authenticate } from "../authenticate.ts";
import type { MutationCtx } from "../builders.ts";
import { checkDemand, type Plan, planNext, stickyLane } from "../dispatch/next.ts";
import { attemptById, attemptsById, type Held, heldByKey, passFence, passFences } from "../jobs/held.ts";
import { leaseByKey } from "../leases/renew.ts";
import { waitersByKey } from "../rings/membership.ts";

/**
 * The first stage of reads for the end of an attempt: six in parallel. `attempt`: the one that the worker named, which
 * may belong to another worker. It is read by itself only if the worker does not hold it. `others`: how many other attempts
 * the worker holds.
 */
export async function readAttemptEnd(
  ctx: MutationCtx,
  { keyHash, attemptId, starts: startIds = [], demand }: WorkerCall<"complete" | "fail">,
) {
  checkDemand(demand);
  const [worker, lease, open, waiters, sticky, starts] = await Promise.all([
    authenticate(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    heldByKey(ctx, keyHash),
    waitersByKey(ctx, keyHash),
    stickyLane(ctx, demand),
    attemptsById(ctx, startIds),
  ]);
  const attempt = open.find(({ _id }) => _id === attemptId) ?? (await attemptById(ctx, attemptId));
  const others = open.filter(({ _id }) => _id !== attempt?._id).length;
  return { worker, lease, waiters, sticky, attempt, starts, others, demand };
}

/** The second stage of reads: the fence (`held` null: fenced), and the worker's next jobs. */
export async function checkAndPlan(
  ctx: MutationCtx,
  end: Awaited<ReturnType<typeof readAttemptEnd>>,
  now: number,
): Promise<{ readonly held: Held | null; readonly starts: readonly Held[]; readonly planned: Plan }> {
  const { worker, waiters, sticky, attempt, others, demand } = end;
  const starts = end.starts.filter((started) => started.attempt?._id !== attempt?._id);
  const [held, passed, planned] = await Promise.all([
    passFence(ctx, worker, attempt),
    passFences(ctx, worker, starts),
    planNext(ctx, worker, sticky, demand, others, now, {
      // A worker that begins a prefetched job found it while the woken one ran, so there is more work than workers.
      skipsSearch: attempt?.woken === true && starts.length === 0,
      isWaiting: waiters.length > 0,
    }),
  ]);
  return { held, starts: passed.held, planned };
}
