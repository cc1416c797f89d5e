import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { tallyOf } from "../jobs/tally.ts";
import { totalsOf } from "../ledger/totals.ts";

/** Counts of live rows stop here: beyond, the number shown means "at least". */
const maxCounted = 1_000;

export const summaryView = v.object({
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

/** The organization at a glance. What was spent and what was earned come from different accounts. */
export async function summaryOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof summaryView>> {
  const online = await ctx.db
    .query("devices")
    .withIndex("by_organization_online", (q) => q.eq("organizationId", organizationId).eq("online", true))
    .take(maxCounted);
  const { sum, byKind } = await totalsOf(ctx, organizationId);
  return {
    ready: await liveJobs(ctx, organizationId, "ready"),
    running: await liveJobs(ctx, organizationId, "running"),
    succeeded: await tallyOf(ctx, organizationId, "succeeded"),
    failed: await tallyOf(ctx, organizationId, "failed"),
    devicesOnline: online.length,
    devicesDonating: online.filter(
      (device) => device.status === "active" && device.activity?.kind === "donating",
    ).length,
    ledgerSum: sum,
    spentMicro: -byKind.issuance - byKind.key - byKind.escrow,
    earnedMicro: byKind.device,
  };
}

async function liveJobs(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  status: "ready" | "running",
): Promise<number> {
  const jobs = await ctx.db
    .query("jobs")
    .withIndex("by_organization_status", (q) => q.eq("organizationId", organizationId).eq("status", status))
    .take(maxCounted);
  return jobs.length;
}
