import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { fleetCountsOf } from "../fleet/countListings.ts";
import { totalsOf } from "../ledger/totals.ts";
import { queue } from "../queue.ts";

/** Up to this number, devices of a state are counted exactly. Beyond it, the count of the last minute is shown. */
const maxDevices = 40;

export const summaryView = v.object({
  succeeded: v.number(),
  failed: v.number(),
  devicesOnline: v.number(),
  devicesDonating: v.number(),
  /** Devices that were paused because their jobs failed. */
  devicesPaused: v.number(),
  /** Devices that get no jobs until they are updated. */
  devicesOutdated: v.number(),
  /** Null for those who see no money. */
  money: v.union(v.object({ ledgerSum: v.int64(), spentMicro: v.int64(), earnedMicro: v.int64() }), v.null()),
});

/**
 * The organization in a few numbers, without its queue (`queueDepthOf`): jobs that come and go do not rerun this. Credits spent and earned come from different accounts. Outcomes of jobs are counted
 * by the transfers that closed them.
 */
export async function summaryOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof summaryView>> {
  const [stats, { donating, paused, outdated }, { sum, byKind, ended }] = await Promise.all([
    queue.stats(ctx, organizationId),
    devicesByState(ctx, organizationId),
    totalsOf(ctx, organizationId),
  ]);
  return {
    succeeded: ended.succeeded,
    failed: ended.failed + ended.expired,
    devicesOnline: stats.workers.online,
    devicesDonating: donating,
    devicesPaused: paused,
    devicesOutdated: outdated,
    money: {
      ledgerSum: sum,
      spentMicro: -byKind.issuance - byKind.key - byKind.escrow,
      earnedMicro: byKind.device,
    },
  };
}

async function devicesByState(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<{ readonly donating: number; readonly paused: number; readonly outdated: number }> {
  const { states } = await fleetCountsOf(ctx, organizationId);
  const count = async (state: "donating" | "paused" | "outdated"): Promise<number> => {
    // A large fleet's changes must not run this again.
    if (states[state] > maxDevices) return states[state];
    const listed = await ctx.db
      .query("deviceListings")
      .withIndex("by_state_name", (q) => q.eq("organizationId", organizationId).eq("state", state))
      .take(maxDevices + 1);
    return listed.length;
  };
  const [donating, paused, outdated] = await Promise.all([
    count("donating"),
    count("paused"),
    count("outdated"),
  ]);
  return { donating, paused, outdated };
}
