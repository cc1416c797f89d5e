import type { QueryCtx } from "../../builders.ts";
import type { LaneView } from "../../validators.ts";
import { type Fleet, smallFleetOf } from "../counts/fleet.ts";
import { viewLanes } from "./view.ts";

export type QueueStats = {
  ready: number;
  waiting: number;
  running: number;
  workers: Fleet;
  lanes: LaneView[];
};

/** A scope's figures. */
export async function statsOf(ctx: QueryCtx, scope: string): Promise<QueueStats> {
  const [lanes, small, large] = await Promise.all([
    viewLanes(ctx, scope),
    smallFleetOf(ctx, scope),
    ctx.db
      .query("fleets")
      .withIndex("by_scope", (q) => q.eq("scope", scope))
      .unique(),
  ]);
  const sum = (of: "ready" | "waiting" | "running"): number =>
    lanes.reduce((total, lane) => total + lane[of], 0);
  const { online, accepting } = small ?? large ?? { online: 0, accepting: 0 };
  return {
    ready: sum("ready"),
    waiting: sum("waiting"),
    running: sum("running"),
    workers: { online, accepting },
    lanes,
  };
}
