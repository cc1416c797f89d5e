import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** The most jobs that one device may hold at a time. */
export const maxHeld = 8;

/** The attempts that a device is at work on. */
export async function heldBy(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_device_status", (q) => q.eq("deviceId", deviceId).eq("status", "running"))
    .take(maxHeld);
}
