import { times } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { present } from "../load.ts";

/** A device's lease row. */
export async function leaseOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Doc<"leases">> {
  const lease = await ctx.db
    .query("leases")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
  return present(lease, "lease of a device");
}

/** Renewing only once a third of the lease is gone wastes no write on a device that calls often. */
const renewBelowMs = (times.leaseMs * 2) / 3;

/**
 * Any call of a device says that it is alive: its lease is renewed, and it is shown as online again
 * if it was given up.
 */
export async function renew(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<Doc<"leases">> {
  const lease = await leaseOf(ctx, device._id);
  if (lease.expiresAt - now < renewBelowMs) {
    await ctx.db.patch("leases", lease._id, { expiresAt: now + times.leaseMs, lastSeenAt: now });
  }
  if (!device.online) {
    await ctx.db.patch("devices", device._id, { online: true, lastChangeAt: now });
  }
  if (!lease.presenceArmed) {
    await ctx.db.patch("leases", lease._id, { presenceArmed: true });
    await ctx.scheduler.runAt(now + times.offlineAfterMs, internal.maintenance.checkPresence, {
      deviceId: device._id,
    });
  }
  return await leaseOf(ctx, device._id);
}

/** A device takes a job: its lease counts from now on, and the janitor is armed if it is not. */
export async function hold(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  const lease = await renew(ctx, device, now);
  if (lease.armed) return;
  await ctx.db.patch("leases", lease._id, { armed: true });
  await ctx.scheduler.runAt(lease.expiresAt, internal.maintenance.checkLease, {
    deviceId: device._id,
    deadline: lease.expiresAt,
    graced: false,
  });
}
