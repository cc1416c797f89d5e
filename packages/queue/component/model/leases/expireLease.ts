import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import { heldBy } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { leaveRings } from "../rings/membership.ts";
import { policyOf, settingsOf } from "../settings.ts";
import { retryDelayMs, runStep } from "../tryAgain.ts";

export type ExpiredLease = {
  readonly workerId: Id<"workers">;
  /** What was last heard of it when its lease was found to have run out. */
  readonly lastSeenAt: number;
  /** How often the app refused that one of its jobs ended so. */
  readonly failures?: number | undefined;
};

/** A worker went silent: its jobs go to others, nobody counts on it; after a longer silence it is offline. */
export async function expireLease(
  ctx: MutationCtx,
  { workerId, lastSeenAt, failures = 0 }: ExpiredLease,
  now: number,
): Promise<void> {
  const [lease, held, found] = await Promise.all([
    leaseOf(ctx, workerId),
    heldBy(ctx, workerId),
    ctx.db.get("workers", workerId),
  ]);
  if (lease.lastSeenAt !== lastSeenAt) return;
  // First, so that nobody is counted on, or woken, who does not hear it.
  await leaveRings(ctx, workerId);
  let refused = false;
  for (const { _id: attemptId } of held) {
    if (!(await runStep(ctx, { kind: "lose", attemptId }))) refused = true;
  }
  if (refused) {
    const again = { workerId, lastSeenAt, failures: failures + 1 };
    await ctx.scheduler.runAfter(retryDelayMs(failures), maintenance.lapse, again);
  }

  const { online } = present(found, "worker of a lease");
  const unheard = lastSeenAt + lease.offlineAfterMs;
  const deadline = online && unheard > now ? unheard : undefined;
  await ctx.db.patch("leases", lease._id, { deadline });
  if (online && deadline === undefined) {
    await ctx.db.patch("workers", workerId, { online: false, lastChangeAt: now });
  }
}

/** A worker's lease row: there from its registration on. */
async function leaseOf(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"leases">> {
  const lease = await firstOf(
    ctx.db.query("leases").withIndex("by_worker", (q) => q.eq("workerId", workerId)),
  );
  return present(lease, "lease of a worker");
}

/**
 * The lease ran out: the attempt is fenced off, and the job is ready again at once, or a dead letter. One that was only
 * held ahead is no failure, however often.
 */
export async function markLost(ctx: MutationCtx, attempt: Doc<"attempts">, now: number): Promise<void> {
  const [found, settings] = await Promise.all([
    ctx.db.get("jobs", attempt.jobId),
    settingsOf(ctx, attempt.scope),
  ]);
  const job = present(found, "job of an open attempt");
  const failures = job.failures + 1;
  const final = job.status === "running" && failures >= policyOf(settings, job.policy).maxFailures;
  const error = {
    code: "worker_lost",
    message: `The last of ${String(failures)} attempts was lost: its worker went silent.`,
  };
  await move(ctx, job, { kind: "lose", final }, now, { job: final ? { error } : {} });
}
