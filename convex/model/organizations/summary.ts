import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { totalsOf } from "../ledger/totals.ts";
import { queue } from "../queue.ts";
import { donatingCount } from "../devices/rows.ts";

/** Up to here jobs are counted now. */
const maxCounted = 100;

export const summaryView = v.object({
  /** Ready and waiting. */
  ready: v.number(),
  running: v.number(),
  succeeded: v.number(),
  failed: v.number(),
  devicesOnline: v.number(),
  devicesDonating: v.number(),
  ledgerSum: v.int64(),
  spentMicro: v.int64(),
  earnedMicro: v.int64(),
});

/**
 * The organization at a glance. What was spent and what was earned come from different accounts; how many jobs ended
 * how, from the transfers that closed them.
 */
export async function summaryOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof summaryView>> {
  const [stats, donating, ready, waiting, running, { sum, byKind, ended }] = await Promise.all([
    queue.stats(ctx, organizationId),
    donatingCount(ctx, organizationId),
    liveJobs(ctx, organizationId, "ready"),
    liveJobs(ctx, organizationId, "waiting"),
    liveJobs(ctx, organizationId, "running"),
    totalsOf(ctx, organizationId),
  ]);
  return {
    ready: atLeast(ready, stats.ready) + atLeast(waiting, stats.waiting),
    running: atLeast(running, stats.running),
    succeeded: ended.succeeded,
    failed: ended.failed + ended.expired,
    devicesOnline: stats.workers.online,
    // Of a large fleet only a part is listed; then those that take jobs are the better count.
    devicesDonating: Math.max(donating, stats.workers.accepting),
    ledgerSum: sum,
    spentMicro: -byKind.issuance - byKind.key - byKind.escrow,
    earnedMicro: byKind.device,
  };
}

/** The jobs of a status, counted now, up to a page; of more, the queue's own count of the last minute is shown. */
async function liveJobs(
  ctx: QueryCtx,
  scope: string,
  status: "ready" | "waiting" | "running",
): Promise<number> {
  const paginationOpts = { numItems: maxCounted, cursor: null };
  const { page } = await queue.list(ctx, scope, { status, paginationOpts });
  return page.length;
}

function atLeast(live: number, counted: number): number {
  return live < maxCounted ? live : Math.max(live, counted);
}
