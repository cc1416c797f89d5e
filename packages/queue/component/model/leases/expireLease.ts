import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { heldByKey } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { leaveRings } from "../rings/membership.ts";
import { policyOf, settingsOf } from "../settings.ts";
import { retryDelayMs, runStep } from "../tryAgain.ts";

export type ExpiredLease = {
  readonly workerId: Id<"workers">;
  /** The worker's last sign when its lease was found to have expired. */
  readonly lastSeenAt: number;
  /** How often the app has refused the loss of one of its jobs. */
  readonly failures?: number | undefined;
};

/**
 * Handles an expired lease: the worker's jobs go to others, and it leaves the rings. After a longer silence it is
 * marked offline.
 */
export async function expireLease(
  ctx: MutationCtx,
  { workerId, lastSeenAt, failures = 0 }: ExpiredLease,
  now: number,
): Promise<void> {
  const [lease, found] = await Promise.all([leaseOf(ctx, workerId), ctx.db.get("workers", workerId)]);
  if (lease.lastSeenAt !== lastSeenAt) return;
  const held = await heldByKey(ctx, lease.keyHash);
  // First, so that no submission wakes a worker that does not listen.
  await leaveRings(ctx, workerId);
  let refused = false;
  for (const { _id: attemptId } of held) {
    if (!(await runStep(ctx, { kind: "markLost", attemptId }))) refused = true;
  }
  if (refused) {
    const again = { workerId, lastSeenAt, failures: failures + 1 };
    await ctx.scheduler.runAfter(retryDelayMs(failures), maintenance.expireLease, again);
  }

  const { online } = present(found, "worker of a lease");
  const unheard = lastSeenAt + lease.offlineAfterMs;
  const deadline = online && unheard > now ? unheard : undefined;
  await ctx.db.patch("leases", lease._id, { deadline });
  if (online && deadline === undefined) {
    await ctx.db.patch("workers", workerId, { online: false, lastChangeAt: now });
  }
}

/** A worker's lease row. It exists from the registration on. */
async function leaseOf(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"leases">> {
  const lease = await firstOf(
    ctx.db.query("leases").withIndex("by_worker", (q) => q.eq("workerId", workerId)),
  );
  return present(lease, "lease of a worker");
}

/**
 * Fences off an attempt whose lease expired. The job is ready again, or becomes a dead letter, or goes on with a second
 * worker that has it. An attempt that was not started does not count as a failure.
 */
export async function markLost(ctx: MutationCtx, attempt: Doc<"attempts">, now: number): Promise<void> {
  const [found, settings] = await Promise.all([
    ctx.db.get("jobs", attempt.jobId),
    settingsOf(ctx, attempt.scope),
  ]);
  const job = present(found, "job of an open attempt");
  const failures = job.failures + 1;
  const tooMany = attempt.status === "running" && failures >= policyOf(settings, job.policy).maxFailures;
  const final = tooMany && job.secondAttemptId === undefined;
  const error = {
    code: "worker_lost",
    message: `The last of ${String(failures)} attempts was lost: its worker went silent.`,
  };
  await move(ctx, job, { kind: "markLost", final }, now, { by: attempt, job: final ? { error } : {} });
}
