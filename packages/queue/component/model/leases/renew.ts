import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { holdsAny } from "../jobs/held.ts";
import { firstOf } from "../load.ts";
import { present } from "../refuse.ts";
import { scheduleSweep } from "./sweep.ts";
import { isOutdated } from "./times.ts";

/** The lease of the worker with this key; null for an unknown key. One read, in parallel with the worker's row. */
export async function leaseByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"leases"> | null> {
  return await firstOf(ctx.db.query("leases").withIndex("by_key", (q) => q.eq("keyHash", keyHash)));
}

/**
 * Renews a worker's lease; any call of the worker does it. Usually writes the lease only. After a long silence it also
 * writes the worker and schedules the sweep.
 * @param holds whether the worker holds a job after this call. If undefined, it is read when the lease is written.
 */
export async function renew(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  found: Doc<"leases"> | null,
  now: number,
  { holds }: { readonly holds?: boolean } = {},
): Promise<void> {
  const lease = present(found, "lease of a worker");
  const { leaseMs, offlineAfterMs } = lease;
  if (isOutdated(lease, holds === true, now)) {
    const atWork = holds ?? (await holdsAny(ctx, worker.keyHash));
    const deadline = now + (atWork ? leaseMs : offlineAfterMs);
    await ctx.db.patch("leases", lease._id, { lastSeenAt: now, deadline });
  }
  if (worker.online) return;
  await ctx.db.patch("workers", worker._id, { online: true, lastChangeAt: now });
  await scheduleSweep(ctx, worker.scope, lease, now);
}
