import { fullScan, localScan } from "../../packages/queue/component/model/dispatch/scans.ts";
import { ringSize, slotsFor } from "../../packages/queue/component/model/placement.ts";
import type { Random } from "../structures/random.ts";
import { pointCount } from "./home-slots.ts";
import type { LaneView, Look, Policy, Positions } from "./policy.ts";
import { frontOf, nothing, randomSlot, slotNearPrefix } from "./slots.ts";

type Variant = {
  /** The part of the lane that a device searches after a job, in slots. The queue uses 0.25. */
  readonly glanceSlots?: number;
  /** The same for a device that has just come. The queue uses 16. */
  readonly joinSlots?: number;
  readonly positions?: Positions;
  /** Whether submissions hand jobs over, as with `handOver`. */
  readonly handsOver?: boolean;
  readonly suffix?: string;
};

/**
 * What Gleaner builds (packages/queue/component/model/placement.ts, dispatch/search.ts). Waiting devices stand on a ring, and each is
 * woken by the jobs between its own place and that of the next one who waits: a job wakes one device, wherever it is
 * put, or is handed the job with its submission. A device that completes a job looks between its own place and the next accepting device's, then glances at a
 * little of the lane from a random point; then it waits, and sees what is ready in its arc. One that has just come looks
 * all around.
 */
export function ring(
  affinity: boolean,
  { glanceSlots, joinSlots, positions = "hash", handsOver = true, suffix = "" }: Variant = {},
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
    wakes: "cover",
    handsOver,
    watch: ({ position }) => position,
    next: ({ position, nextHome, hasHome }, lane, random, joins) => {
      const home = hasHome ? frontOf(position, nextHome, lane) : nothing;
      if (home.job >= 0) return home;
      const share = joins ? fullScan(lane.slots, joinSlots) : localScan(lane.slots, glanceSlots);
      const theft = atRandomPoint(lane, random, Math.floor(pointCount * share));
      return { ...theft, scans: [...home.scans, ...theft.scans] };
    },
    restsWhenWoken: true,
    positions,
    claimsFirst: false,
    theft: null,
    looksAgain: "never",
  };
}

function atRandomPoint(lane: LaneView, random: Random, width: number): Look {
  if (width === 0) return nothing;
  const from = random.below(pointCount);
  const job = lane.byPoint(from);
  const point = job < 0 ? -1 : lane.pointOf(job);
  if (job < 0 || (point - from + pointCount) % pointCount >= width) {
    return { ...nothing, scans: [{ of: "points", from, to: (from + width) % pointCount }] };
  }
  return { job, stolen: true, read: [job], scans: point === from ? [] : [{ of: "points", from, to: point }] };
}
