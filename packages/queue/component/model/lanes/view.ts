import type { QueryCtx } from "../../builders.ts";
import type { LaneView } from "../../validators.ts";
import { maxLanes } from "../settings.ts";

/** A scope's lanes, with what stood in them when last counted. */
export async function viewLanes(ctx: QueryCtx, scope: string): Promise<LaneView[]> {
  const [lanes, counts] = await Promise.all([
    ctx.db
      .query("lanes")
      .withIndex("by_name", (q) => q.eq("scope", scope))
      .take(maxLanes),
    ctx.db
      .query("laneCounts")
      .withIndex("by_scope", (q) => q.eq("scope", scope))
      .take(maxLanes),
  ]);
  const byLane = new Map(counts.map((row) => [row.laneId, row]));
  return lanes.map(({ _id, kind, requirements, state, slots }) => {
    const counted = byLane.get(_id);
    return {
      laneId: _id,
      kind,
      requirements,
      state,
      slots,
      ready: counted?.ready ?? 0,
      waiting: counted?.waiting ?? 0,
      running: counted?.running ?? 0,
      countedAt: counted?.countedAt ?? null,
      oldestReadyAt: counted?.oldestReadyAt ?? null,
    };
  });
}
