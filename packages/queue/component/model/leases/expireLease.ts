import type { Id, MutationCtx } from "../../builders.ts";
import { heldBy } from "../jobs/held.ts";
import { stepAlone } from "../jobs/stepAlone.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { leaveRings } from "../rings/membership.ts";
import { tryAgainAfter } from "../tryAgain.ts";
import { leaseOf } from "./leaseOf.ts";

export type Lapse = {
  readonly workerId: Id<"workers">;
  /** What was last heard of it when its lease was found to have run out. */
  readonly lastSeenAt: number;
  /** How often the app refused that one of its jobs ended so. */
  readonly failures?: number | undefined;
};

/** A worker went silent: its jobs go to others, nobody counts on it; after a longer silence it is offline. */
export async function lapse(
  ctx: MutationCtx,
  { workerId, lastSeenAt, failures = 0 }: Lapse,
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
    if (!(await stepAlone(ctx, { kind: "lose", attemptId }))) refused = true;
  }
  if (refused) {
    const again = { workerId, lastSeenAt, failures: failures + 1 };
    await ctx.scheduler.runAfter(tryAgainAfter(failures), maintenance.lapse, again);
  }

  const { online } = present(found, "worker of a lease");
  const unheard = lastSeenAt + lease.offlineAfterMs;
  const deadline = online && unheard > now ? unheard : undefined;
  await ctx.db.patch("leases", lease._id, { deadline });
  if (online && deadline === undefined) {
    await ctx.db.patch("workers", workerId, { online: false, lastChangeAt: now });
  }
}
