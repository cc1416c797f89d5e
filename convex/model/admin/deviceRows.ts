import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { heldBy } from "../jobs/held.ts";
import { deviceAccount } from "../ledger/accounts.ts";
import { balanceOf } from "../ledger/balance.ts";
import { activity, capabilities } from "../validators.ts";

const maxListed = 300;
/** Counting stops here: beyond, the number means "at least". */
const maxCounted = 2_000;

export const deviceRow = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  platform: v.string(),
  online: v.boolean(),
  status: v.union(v.literal("active"), v.literal("retired")),
  activity: v.union(activity, v.null()),
  capabilities,
  holding: v.number(),
  earnedMicro: v.int64(),
  lastChangeAt: v.number(),
});

/**
 * An organization's devices as the console shows them, in the order in which they joined. Where there are more
 * than one page shows, those online come before those that are not; `deviceCount` says how many there are.
 */
export async function deviceRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof deviceRow>[]> {
  const online = await devicesOf(ctx, organizationId, true, maxListed);
  const devices = [...online, ...(await devicesOf(ctx, organizationId, false, maxListed - online.length))];
  devices.sort((a, b) => a.enrolledAt - b.enrolledAt);
  return await Promise.all(
    devices.map(async (device) => ({
      deviceId: device._id,
      name: device.name,
      platform: device.platform,
      online: device.online,
      status: device.status,
      activity: device.activity,
      capabilities: device.capabilities,
      holding: (await heldBy(ctx, device._id)).length,
      earnedMicro: (await balanceOf(ctx, deviceAccount(device._id))).micro,
      lastChangeAt: device.lastChangeAt,
    })),
  );
}

/** How many devices an organization has, and how many of them `deviceRows` lists. */
export async function deviceCount(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<{ total: number; listed: number }> {
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_organization_online", (q) => q.eq("organizationId", organizationId))
    .take(maxCounted);
  return { total: devices.length, listed: Math.min(devices.length, maxListed) };
}

async function devicesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  online: boolean,
  limit: number,
): Promise<Doc<"devices">[]> {
  if (limit === 0) return [];
  return await ctx.db
    .query("devices")
    .withIndex("by_organization_online", (q) => q.eq("organizationId", organizationId).eq("online", online))
    .take(limit);
}
