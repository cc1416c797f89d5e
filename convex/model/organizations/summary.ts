import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { fleetCountsOf } from "../fleet/countListings.ts";
import { totalsOf } from "../ledger/totals.ts";
import { queue } from "../queue.ts";

/** Up to this number, donating devices are counted exactly. Beyond it, the count of the last minute is shown. */
const maxDevices = 40;

export const summaryView = v.object({
  succeeded: v.number(),
  failed: v.number(),
  devicesOnline: v.number(),
  devicesDonating: v.number(),
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
  const [stats, donating, { sum, byKind, ended }] = await Promise.all([
    queue.stats(ctx, organizationId),
    devicesDonating(ctx, organizationId),
    totalsOf(ctx, organizationId),
  ]);
  return {
    succeeded: ended.succeeded,
    failed: ended.failed + ended.expired,
    devicesOnline: stats.workers.online,
    devicesDonating: donating,
    money: {
      ledgerSum: sum,
      spentMicro: -byKind.issuance - byKind.key - byKind.escrow,
      earnedMicro: byKind.device,
    },
  };
}

async function devicesDonating(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<number> {
  const {
    states: { donating },
  } = await fleetCountsOf(ctx, organizationId);
  // A large fleet's changes must not run this again.
  if (donating > maxDevices) return donating;
  const listed = await ctx.db
    .query("deviceListings")
    .withIndex("by_state_name", (q) => q.eq("organizationId", organizationId).eq("state", "donating"))
    .take(maxDevices + 1);
  return listed.length;
}
