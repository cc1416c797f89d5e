import { visibleText } from "../../../app/format/visible.ts";
import { expositionOf } from "../../../app/statistics/exposition.ts";
import { type DeviceState, type LaneDepth, metricsOf } from "../../../app/statistics/metrics.ts";
import { spans } from "../../../app/statistics/spans.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { onlineCounts } from "../devices/rows.ts";
import { totalsOf } from "../ledger/totals.ts";
import { queue } from "../queue.ts";
import { rowOf } from "./rollUp.ts";

/** Lanes with the most jobs come first, and the others are left out. */
const maxLanes = 100;

/** An organization's metrics in Prometheus' text format. Reads sums, and no job. */
export async function metricsText(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<string> {
  const [total, stats, { byKind }] = await Promise.all([
    rowOf(ctx, { organizationId, by: "model", spanMs: spans.total, startAt: 0 }),
    queue.stats(ctx, organizationId),
    totalsOf(ctx, organizationId),
  ]);
  const lanes = stats.lanes
    .map(({ laneId, kind, requirements, ready, waiting, running, oldestReadyAt }): LaneDepth => {
      const model = visibleText(requirements.model ?? "");
      return { laneId, kind, model, ready, waiting, running, oldestReadyAt };
    })
    .sort((a, b) => depthOf(b) - depthOf(a));
  return expositionOf(
    metricsOf({
      models: total?.subjects ?? [],
      lanes: lanes.slice(0, maxLanes),
      devices: await devicesByState(ctx, organizationId, stats.workers),
      held: { keys: byKind.key, escrow: byKind.escrow, devices: byKind.device },
    }),
  );
}

function depthOf({ ready, waiting, running }: LaneDepth): number {
  return ready + waiting + running;
}

/** Counting stops here, so this count means "at least". */
const maxCounted = 2_000;

/** Only part of a large fleet is listed; the queue's counts are the better ones then. */
async function devicesByState(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { online, accepting }: { readonly online: number; readonly accepting: number },
): Promise<Record<DeviceState, number>> {
  const count = async (status: "pending" | "active" | "retired"): Promise<number> => {
    const devices = await ctx.db
      .query("devices")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", status))
      .take(maxCounted);
    return devices.length;
  };
  const [listed, pending, active, retired] = await Promise.all([
    onlineCounts(ctx, organizationId),
    count("pending"),
    count("active"),
    count("retired"),
  ]);
  const { paused, outdated } = listed;
  const donating = Math.max(listed.donating, accepting);
  const standby = Math.max(0, online - donating - paused - outdated);
  return { donating, standby, paused, outdated, offline: Math.max(0, active - online), pending, retired };
}
