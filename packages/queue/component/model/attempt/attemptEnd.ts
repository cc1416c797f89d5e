import type { WorkerCall } from "../../../shared/work.ts";
import { authenticate } from "../authenticate.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { checkDemand, type Plan, planNext, stickyLane } from "../dispatch/next.ts";
import { attemptById, attemptsById, type Held, heldByKey, passFence, passFences } from "../jobs/held.ts";
import { leaseByKey } from "../leases/renew.ts";
import { waitersByKey } from "../rings/membership.ts";

export type AttemptEnd = {
  readonly worker: Doc<"workers">;
  readonly lease: Doc<"leases"> | null;
  readonly waiters: readonly Doc<"stands">[];
  /** The attempt that the worker named. It may belong to another worker. */
  readonly attempt: Doc<"attempts"> | null;
  /** How many other attempts the worker holds. */
  readonly others: number;
  /** The second stage of reads: the fence, and the worker's next jobs. */
  readonly lookUp: (now: number) => Promise<{
    /** Null: fenced. */
    readonly held: Held | null;
    readonly starts: readonly Held[];
    readonly planned: Plan;
  }>;
};

/** Reads everything that the end of an attempt needs, in two stages: seven parallel reads, then those of `lookUp`. */
export async function readAttemptEnd(
  ctx: MutationCtx,
  { keyHash, attemptId, starts: beginIds = [], demand }: WorkerCall<"complete" | "fail">,
): Promise<AttemptEnd> {
  checkDemand(demand);
  const [worker, lease, open, waiters, sticky, attempt, starts] = await Promise.all([
    authenticate(ctx, keyHash),
    leaseByKey(ctx, keyHash),
    heldByKey(ctx, keyHash),
    waitersByKey(ctx, keyHash),
    stickyLane(ctx, demand),
    attemptById(ctx, attemptId),
    attemptsById(ctx, beginIds),
  ]);
  const others = open.filter(({ _id }) => _id !== attempt?._id).length;
  return {
    worker,
    lease,
    waiters,
    attempt,
    others,
    lookUp: async (now) => {
      const [held, passed, planned] = await Promise.all([
        passFence(ctx, worker, attempt),
        passFences(
          ctx,
          worker,
          starts.filter((begun) => begun.attempt?._id !== attempt?._id),
        ),
        planNext(ctx, worker, sticky, demand, others, now, {
          skipsSearch: attempt?.woken === true,
          isWaiting: waiters.length > 0,
        }),
      ]);
      return { held, starts: passed.held, planned };
    },
  };
}
