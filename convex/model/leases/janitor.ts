import { times } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { heldBy } from "../jobs/held.ts";
import { lose } from "../jobs/lose.ts";
import { present } from "../load.ts";
import { leaseOf } from "./renew.ts";

/** A look that comes this late means that the backend was away, so nobody could renew. */
const lateMs = 5_000;

/**
 * Looks at a device's lease when it should have run out. Extended meanwhile: looks again at the new
 * deadline. Nothing held: rests until the next claim. Run out: its attempts are lost.
 * @param look.deadline when this look was due; a late one gives the device one more lease (`graced`), since
 * a backend that was down must not blame its devices.
 */
export async function checkLease(
  ctx: MutationCtx,
  look: { readonly deviceId: Id<"devices">; readonly deadline: number; readonly graced: boolean },
  now: number,
): Promise<void> {
  const lease = await leaseOf(ctx, look.deviceId);
  const held = await heldBy(ctx, look.deviceId);
  if (held.length === 0) {
    await ctx.db.patch("leases", lease._id, { armed: false });
    return;
  }
  if (lease.expiresAt > now) {
    await lookAgain(ctx, look.deviceId, lease.expiresAt, false);
    return;
  }
  if (!look.graced && now - look.deadline > lateMs) {
    await lookAgain(ctx, look.deviceId, now + times.leaseMs, true);
    return;
  }
  for (const attempt of held) await lose(ctx, attempt, now);
  await ctx.db.patch("leases", lease._id, { armed: false });
}

async function lookAgain(
  ctx: MutationCtx,
  deviceId: Id<"devices">,
  deadline: number,
  graced: boolean,
): Promise<void> {
  await ctx.scheduler.runAt(deadline, internal.maintenance.checkLease, { deviceId, deadline, graced });
}

/** Shows a device as offline that nothing was heard of for long; looks again while something is. */
export async function checkPresence(ctx: MutationCtx, deviceId: Id<"devices">, now: number): Promise<void> {
  const lease = await leaseOf(ctx, deviceId);
  const device = present(await ctx.db.get("devices", deviceId), "device of a lease");
  const deadline = lease.lastSeenAt + times.offlineAfterMs;
  if (device.online && deadline > now) {
    await ctx.scheduler.runAt(deadline, internal.maintenance.checkPresence, { deviceId });
    return;
  }
  await ctx.db.patch("leases", lease._id, { presenceArmed: false });
  if (device.online) await ctx.db.patch("devices", deviceId, { online: false, lastChangeAt: now });
}
