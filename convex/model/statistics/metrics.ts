import { visibleText } from "../../../app/format/visible.ts";
import { expositionOf } from "../../../app/statistics/exposition.ts";
import { type LaneDepth, metricsOf } from "../../../app/statistics/metrics.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { fleetCountsOf } from "../fleet/counts.ts";
import { totalsOf } from "../ledger/totals.ts";
import { queueDepthOf } from "../organizations/queueDepth.ts";
import { modelTotals } from "./rollUp.ts";

/** Lanes with the most jobs come first, and the others are left out. */
const maxLanes = 100;

/** An organization's metrics in Prometheus' text format. Reads sums, and of single rows only the jobs that are counted exactly. */
export async function metricsText(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<string> {
  const [models, stats, devices, { byKind }] = await Promise.all([
    modelTotals(ctx, organizationId),
    queueDepthOf(ctx, organizationId),
    fleetCountsOf(ctx, organizationId),
    totalsOf(ctx, organizationId),
  ]);
  const lanes = stats.lanes
    .map(({ laneId, kind, requirements, ready, waiting, running, oldestReadyAt }): LaneDepth => {
      const model = visibleText(requirements.model ?? "");
      const depth = { ready: ready.count, waiting: waiting.count, running: running.count };
      return { laneId, kind, model, ...depth, oldestReadyAt };
    })
    .sort((a, b) => depthOf(b) - depthOf(a));
  return expositionOf(
    metricsOf({
      models,
      lanes: lanes.slice(0, maxLanes),
      devices: devices.at === null ? null : devices.states,
      held: { keys: byKind.key, escrow: byKind.escrow, devices: byKind.device },
    }),
  );
}

function depthOf({ ready, waiting, running }: LaneDepth): number {
  return ready + waiting + running;
}
