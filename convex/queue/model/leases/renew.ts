import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";

/** The lease of the worker with this key; null for an unknown key. One read, beside the worker's own. */
export async function leaseByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"leases"> | null> {
  return await ctx.db
    .query("leases")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash))
    .unique();
}

type Hot = Pick<
  Doc<"leases">,
  "leaseMs" | "offlineAfterMs" | "expiresAt" | "lastSeenAt" | "armed" | "presenceArmed"
>;

/**
 * What a call changes in its worker's lease: it is renewed when less than two thirds are left, since renewing it at
 * each call would waste writes; the janitor is armed when a job is taken and it is not; so is the check of presence.
 */
export function renewed(lease: Hot, takesJob: boolean, now: number): Partial<Hot> {
  const stale = lease.expiresAt - now < (lease.leaseMs * 2) / 3;
  return {
    ...(stale ? { expiresAt: now + lease.leaseMs, lastSeenAt: now } : {}),
    ...(takesJob && !lease.armed ? { armed: true } : {}),
    ...(lease.presenceArmed ? {} : { presenceArmed: true }),
  };
}

/** Any call of a worker says that it is alive. Writes without reading: at most the lease, and the worker on its return. */
export async function renew(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  found: Doc<"leases"> | null,
  now: number,
  { takesJob = false }: { readonly takesJob?: boolean } = {},
): Promise<void> {
  const lease = present(found, "lease of a worker");
  const patch = renewed(lease, takesJob, now);
  const workerId = worker._id;
  if (Object.keys(patch).length > 0) await ctx.db.patch("leases", lease._id, patch);
  if (!worker.online) await ctx.db.patch("workers", workerId, { online: true, lastChangeAt: now });
  if (patch.armed === true) {
    const deadline = patch.expiresAt ?? lease.expiresAt;
    await ctx.scheduler.runAt(deadline, maintenance.checkLease, { workerId, deadline, graced: false });
  }
  if (patch.presenceArmed === true) {
    await ctx.scheduler.runAt(now + lease.offlineAfterMs, maintenance.checkPresence, { workerId });
  }
}
