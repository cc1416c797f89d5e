import type { DeviceState } from "../../../app/statistics/metrics.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { onlineCounts } from "../devices/rows.ts";
import { queue } from "../queue.ts";

type DeviceCounts = Record<DeviceState, number>;

/** An organization's devices by state, as last counted; null before the first count. */
export async function deviceCountsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<DeviceCounts | null> {
  return (await rowOf(ctx, organizationId))?.states ?? null;
}

/** Stores the counts, so that a scrape of the metrics reads one row. */
export async function storeDeviceCounts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  states: DeviceCounts,
): Promise<void> {
  const row = await rowOf(ctx, organizationId);
  if (row === null) await ctx.db.insert("deviceCounts", { organizationId, states });
  else if (JSON.stringify(row.states) !== JSON.stringify(states))
    await ctx.db.patch("deviceCounts", row._id, { states });
}

async function rowOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"deviceCounts"> | null> {
  return await ctx.db
    .query("deviceCounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** Counting stops here, so this count means "at least". */
const maxCounted = 2_000;

/** Counts an organization's devices. Only part of a large fleet is listed; the queue's counts are the better ones then. */
export async function countDevices(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<DeviceCounts> {
  const count = async (status: "pending" | "active" | "retired"): Promise<number> => {
    const devices = await ctx.db
      .query("devices")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", status))
      .take(maxCounted);
    return devices.length;
  };
  const [{ workers }, listed, pending, active, retired] = await Promise.all([
    queue.stats(ctx, organizationId),
    onlineCounts(ctx, organizationId),
    count("pending"),
    count("active"),
    count("retired"),
  ]);
  const { online, accepting } = workers;
  const { donating: reported, paused, outdated } = listed;
  const donating = Math.max(reported, accepting);
  return {
    donating,
    standby: Math.max(0, online - donating - paused - outdated),
    paused,
    outdated,
    offline: Math.max(0, active - online),
    pending,
    retired,
  };
}
