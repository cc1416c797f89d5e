import { type Infer, v } from "convex/values";
import { type RequesterTally, requesterTally } from "../../../shared/validators.ts";
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
  /** Those with most jobs. */
  requesters: v.array(requesterTally),
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

/** The jobs of each requester, those with most jobs first: its share of the jobs read, scaled to all jobs. */
export function tallyRequesters(ranges: readonly RangeCount[]): readonly RequesterTally[] {
  const tallies = new Map<string, RequesterTally>();
  for (const { status, count, read, requesters } of ranges) {
    const of = status === "waiting" || status === "ready" ? status : "running";
    for (const { name, read: own } of requesters) {
      const tally = tallies.get(name) ?? { name, ready: 0, waiting: 0, running: 0 };
      tallies.set(name, { ...tally, [of]: tally[of] + (own / read) * count });
    }
  }
  return [...tallies.values()]
    .map(({ name, ready, waiting, running }) => ({
      name,
      ready: Math.round(ready),
      waiting: Math.round(waiting),
      running: Math.round(running),
    }))
    .sort((a, b) => sizeOf(b) - sizeOf(a));
}

function sizeOf({ ready, waiting, running }: RequesterTally): number {
  return ready + waiting + running;
}
