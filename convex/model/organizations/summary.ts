import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { fleetTotalsOf } from "../fleet/counts.ts";
import { shownTotalsOf } from "../ledger/totals.ts";

export const summaryView = v.object({
  succeeded: v.number(),
  failed: v.number(),
  devicesOnline: v.number(),
  devicesDonating: v.number(),
  /** Null for those who see no money. */
  money: v.union(v.object({ ledgerSum: v.int64(), spentMicro: v.int64(), earnedMicro: v.int64() }), v.null()),
});

/**
 * The organization in a few numbers, without its queue (`queueDepthOf`). It runs again when one of the numbers changes, and not
 * with other changes of devices or jobs. Credits spent and earned come from different accounts. Outcomes of jobs are counted by
 * the transfers that closed them.
 */
export async function summaryOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof summaryView>> {
  const [{ online, donating }, { sum, earned, spent, ended }] = await Promise.all([
    fleetTotalsOf(ctx, organizationId),
    shownTotalsOf(ctx, organizationId),
  ]);
  return {
    succeeded: ended.succeeded,
    failed: ended.failed + ended.expired,
    devicesOnline: online,
    devicesDonating: donating,
    money: { ledgerSum: sum, spentMicro: spent, earnedMicro: earned },
  };
}
