import type { LaneView, Look, Policy } from "./policy.ts";
import type { Random } from "../structures/random.ts";
import { POINTS } from "./home-slots.ts";
import { frontOf, nothing, randomSlot, slotNearPrefix, slotsWithin } from "./slots.ts";

const RING = 65_536;
const MOST_SLOTS = 16_384;

/**
 * How far from a random point a thief looks within the transaction that completes its job, in slots. All the way
 * round an empty lane it would have read everything, and every new job would collide with every completion.
 */
const THEFT_SLOTS = 4;
const WIDEST_THEFT = 1 / 16;

/**
 * What Gleaner builds (convex/queue/model/placement.ts). Waiting devices stand on a ring, and each is woken by the
 * jobs between its own place and that of the next one who waits: a job wakes one device, wherever it is put. A device
 * that completes a job looks between its own place and the next accepting device's, then a little way on from a
 * random point.
 */
export function ring(affinity: boolean, theftSlots = THEFT_SLOTS, widest = WIDEST_THEFT): Policy {
  return {
    name: affinity ? "ring-affinity" : "ring",
    summary: `a job goes to ${affinity ? "its prefix's" : "a random"} slot and wakes the one device whose arc covers it`,
    cells: () => RING,
    slots: (accepting) => slotsWithin(accepting, MOST_SLOTS),
    place: (prefix, lane, random) =>
      affinity ? slotNearPrefix(prefix, lane, random) : randomSlot(lane, random),
    spreads: affinity,
    readsLengths: false,
    wakes: "cover",
    watch: ({ position }) => position,
    next: ({ position, nextHome }, lane, random) => {
      const home = frontOf(position, nextHome, lane);
      if (home.job >= 0) return home;
      const theft = atRandomPoint(
        lane,
        random,
        Math.floor(POINTS * Math.min(widest, theftSlots / lane.slots)),
      );
      return { ...theft, scans: [...home.scans, ...theft.scans] };
    },
    claimsFirst: false,
    theft: null,
    looksAgain: "never",
  };
}

function atRandomPoint(lane: LaneView, random: Random, width: number): Look {
  if (width === 0) return nothing;
  const from = random.below(POINTS);
  const job = lane.byPoint(from);
  const point = job < 0 ? -1 : lane.pointOf(job);
  if (job < 0 || (point - from + POINTS) % POINTS >= width) {
    return { ...nothing, scans: [{ of: "points", from, to: (from + width) % POINTS }] };
  }
  return { job, stolen: true, read: [job], scans: point === from ? [] : [{ of: "points", from, to: point }] };
}
