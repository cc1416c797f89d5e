import type { Capabilities, LaneView } from "../../../shared/validators.ts";
import type { QueryCtx } from "../builders.ts";
import { type Fleet, smallFleetOf } from "../counts/fleet.ts";
import { firstOf } from "../load.ts";
import { maxLanes } from "../settings.ts";
import { matches } from "./requirements.ts";

/** A scope's lanes, with the figures of the last count. */
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
  return lanes.map(({ _id, name, kind, requirements, state, stateBy, stateAt, slots }) => {
    const counted = byLane.get(_id);
    return {
      laneId: _id,
      name,
      kind,
      requirements,
      state,
      stateBy: stateBy ?? null,
      stateAt: stateAt ?? null,
      slots,
      ready: counted?.ready ?? 0,
      waiting: counted?.waiting ?? 0,
      running: counted?.running ?? 0,
      countedAt: counted?.countedAt ?? null,
      oldestReadyAt: counted?.oldestReadyAt ?? null,
      waits: counted?.waits ?? null,
    };
  });
}

export type QueueStats = {
  ready: number;
  waiting: number;
  running: number;
  workers: Fleet;
  lanes: LaneView[];
};

/** The totals of a scope. */
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

/** A worker that `isThereWork` asks about. It need not be registered. */
export type Ability = {
  readonly capabilities: Capabilities;
  readonly groups?: readonly string[];
  readonly labels?: readonly string[];
  readonly dataClasses?: readonly string[];
};

/** Whether any lane of the scope that is not paused, and that the worker could run, has a ready job. */
export async function isThereWorkIn(ctx: QueryCtx, scope: string, worker?: Ability): Promise<boolean> {
  const able = worker && { groups: [], dataClasses: [], ...worker };
  const lanes = await ctx.db
    .query("lanes")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxLanes);
  const ready = await Promise.all(
    lanes
      .filter(({ state }) => state !== "paused")
      .filter(({ kind, requirements }) => able === undefined || matches(able, kind, requirements))
      .map(({ _id }) =>
        firstOf(ctx.db.query("jobs").withIndex("by_dice", (q) => q.eq("laneId", _id).eq("status", "ready"))),
      ),
  );
  return ready.some((job) => job !== null);
}
