import { fullScan, localScan } from "../../packages/queue/component/model/dispatch/scans.ts";
import { ringSize, slotsFor } from "../../packages/queue/component/model/placement.ts";
import type { Random } from "../structures/random.ts";
import { pointCount } from "./home-slots.ts";
import type { LaneView, Policy, Positions, SearchResult } from "./policy.ts";
import { frontOf, nothing, randomSlot, slotNearPrefix } from "./slots.ts";

type Variant = {
  /** The part of the lane that a device scans at the end of a job, in slots. The queue uses 4. */
  readonly localSlots?: number;
  /** The same for a device that starts to ask for jobs. The queue uses 16. */
  readonly fullSlots?: number;
  readonly positions?: Positions;
  /** Whether submissions hand jobs over, as with `handOver`. */
  readonly handsOver?: boolean;
  readonly suffix?: string;
};

/**
 * Gleaner's queue (packages/queue/component/model/placement.ts, dispatch/search.ts). Each waiting device is woken by
 * the jobs between its position and the next waiter's. So a job wakes one device, or is handed over with its
 * submission. At the end of a job a device searches up to the next accepting device, then scans a little of the lane
 * from a random point, then waits. A device that starts to ask scans more.
 */
export function ring(
  affinity: boolean,
  { localSlots, fullSlots, positions = "hash", handsOver = true, suffix = "" }: Variant = {},
): Policy {
  return {
    name: `ring${affinity ? "-affinity" : ""}${suffix}`,
    summary: `a job goes to ${affinity ? "its prefix's" : "a random"} slot and wakes the one device whose arc covers it`,
    cells: () => ringSize,
    slots: slotsFor,
    place: (prefix, lane, random) =>
      affinity ? slotNearPrefix(prefix, lane, random) : randomSlot(lane, random),
    spreads: affinity,
    readsLengths: false,
    wakes: "waiter",
    handsOver,
    watch: ({ position }) => position,
    next: ({ position, nextHome, hasHome }, lane, random, joins) => {
      const home = hasHome ? frontOf(position, nextHome, lane) : nothing;
      if (home.job >= 0) return home;
      const share = joins ? fullScan(lane.slots, fullSlots) : localScan(lane.slots, localSlots);
      const stolen = atRandomPoint(lane, random, Math.floor(pointCount * share));
      return { ...stolen, scans: [...home.scans, ...stolen.scans] };
    },
    restsWhenWoken: true,
    positions,
    claimsFirst: false,
    steal: null,
    polls: "never",
  };
}

function atRandomPoint(lane: LaneView, random: Random, width: number): SearchResult {
  if (width === 0) return nothing;
  const from = random.below(pointCount);
  const job = lane.byPoint(from);
  const point = job < 0 ? -1 : lane.pointOf(job);
  if (job < 0 || (point - from + pointCount) % pointCount >= width) {
    return { ...nothing, scans: [{ of: "points", from, to: (from + width) % pointCount }] };
  }
  return { job, stolen: true, read: [job], scans: point === from ? [] : [{ of: "points", from, to: point }] };
}
