import { type Infer, v } from "convex/values";
import type { Id } from "../builders.ts";
import { priorities } from "../priority.ts";
import { fleet } from "./fleet.ts";
import type { RangeCount } from "./ranges.ts";
import type { LaneQueue } from "./waits.ts";

export const laneTally = v.object({
  laneId: v.id("lanes"),
  name: v.string(),
  ready: v.number(),
  waiting: v.number(),
  running: v.number(),
  oldestReadyAt: v.union(v.number(), v.null()),
  /** How long a new job would wait, in ms, by priority. Absent: unknown. */
  waits: v.optional(v.array(v.number())),
});
export type LaneTally = Infer<typeof laneTally>;

export const scopeCounts = v.object({
  scope: v.string(),
  lanes: v.array(laneTally),
  /** Those with most queued jobs. */
  requesters: v.array(v.object({ name: v.string(), queued: v.number() })),
  /** Null for a small fleet, which is counted at each request. */
  fleet: v.union(fleet, v.null()),
});
export type ScopeCounts = Infer<typeof scopeCounts>;

/** A lane's totals. `running` includes prefetched jobs. */
export function tallyLane(
  lane: { readonly laneId: Id<"lanes">; readonly name: string; readonly oldestReadyAt: number | null },
  ranges: readonly RangeCount[],
): LaneTally {
  const sum = (...statuses: RangeCount["status"][]): number =>
    ranges
      .filter(({ laneId, status }) => laneId === lane.laneId && statuses.includes(status))
      .reduce((total, { count }) => total + count, 0);
  return { ...lane, ready: sum("ready"), waiting: sum("waiting"), running: sum("prefetched", "running") };
}

/** A lane's ready jobs, by priority. */
export function readyByLevel(laneId: Id<"lanes">, ranges: readonly RangeCount[]): LaneQueue {
  const ready = priorities.map((level) =>
    ranges
      .filter((range) => range.laneId === laneId && range.status === "ready" && range.level === level)
      .reduce((total, { count }) => total + count, 0),
  );
  return { laneId, ready };
}

/** The queued jobs of each requester: its share of the jobs read, scaled to all jobs. */
export function queuedByRequester(ranges: readonly RangeCount[]): ReadonlyMap<string, number> {
  const queued = new Map<string, number>();
  for (const { status, count, read, requesters } of ranges) {
    if (status !== "waiting" && status !== "ready") continue;
    for (const { name, read: own } of requesters) {
      queued.set(name, (queued.get(name) ?? 0) + (own / read) * count);
    }
  }
  return queued;
}
