import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { onlineCounts } from "../devices/rows.ts";
import { totalsOf } from "../ledger/totals.ts";
import { queue } from "../queue.ts";

export const summaryView = v.object({
  succeeded: v.number(),
  failed: v.number(),
  devicesOnline: v.number(),
  devicesDonating: v.number(),
  /** Online devices that were paused because their jobs failed. */
  devicesPaused: v.number(),
  /** Online devices that get no jobs until they are updated. */
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
    onlineCounts(ctx, organizationId),
    totalsOf(ctx, organizationId),
  ]);
  return {
    succeeded: ended.succeeded,
    failed: ended.failed + ended.expired,
    devicesOnline: stats.workers.online,
    // Only part of a large fleet is listed. The number of devices that accept jobs is the better count then.
    devicesDonating: Math.max(donating, stats.workers.accepting),
    devicesPaused: paused,
    devicesOutdated: outdated,
    money: {
      ledgerSum: sum,
      spentMicro: -byKind.issuance - byKind.key - byKind.escrow,
      earnedMicro: byKind.device,
    },
  };
}
