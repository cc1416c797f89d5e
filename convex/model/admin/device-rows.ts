import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { heldBy } from "../jobs/held.ts";
import { deviceAccount } from "../ledger/accounts.ts";
import { balanceOf } from "../ledger/balance.ts";
import { activity, capabilities } from "../validators.ts";

const maxDevices = 300;

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

/** An organization's devices as the console shows them, in the order in which they joined. */
export async function deviceRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof deviceRow>[]> {
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_organization_online", (q) => q.eq("organizationId", organizationId))
    .take(maxDevices);
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
