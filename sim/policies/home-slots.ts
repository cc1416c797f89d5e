import type { Random } from "../structures/random.ts";
import type { LaneView, Policy } from "./policy.ts";
import { frontOfSlot, powerOfTwo, randomSlot, slotCell, slotNearPrefix, slotsWithin } from "./slots.ts";

/** The job to steal: the last of a random busy slot, or the first ready one after a random point. */
type StealFrom = "back" | "random point";

/**
 * Each device takes from the front of its home slot. Devices of one slot are woken together. A device without
 * work at home finds a job elsewhere with a query, and claims it.
 */
export function homeSlots(affinity: boolean, from: StealFrom): Policy {
  const where = from === "back" ? "from the back of a random busy slot" : "at a random point";
  return {
    name: `home-slots${from === "back" ? "" : "-random-theft"}${affinity ? "-affinity" : ""}`,
    summary: `a job goes to ${affinity ? "its prefix's" : "a random"} slot; owners take from the front, thieves ${where}`,
    cells: (devices) => Math.max(1024, powerOfTwo(devices)),
    slots: (accepting) => slotsWithin(accepting, 1 << 20),
    place: (prefix, lane, random) =>
      affinity ? slotNearPrefix(prefix, lane, random) : randomSlot(lane, random),
    spreads: affinity,
    readsLengths: false,
    handsOver: false,
    wakes: "watchers",
    watch: ({ position }, lane) => slotCell(position, lane),
    next: ({ position }, lane) => frontOfSlot(slotCell(position, lane), lane),
    restsWhenWoken: false,
    positions: "hash",
    claimsFirst: false,
    steal: from === "back" ? backOfBusy : atRandomPoint,
    polls: "steals",
  };
}

function backOfBusy(lane: LaneView, random: Random): number {
  const cell = lane.busyCell(random);
  return cell < 0 ? -1 : lane.lastOf(cell);
}

function atRandomPoint(lane: LaneView, random: Random): number {
  return lane.byPoint(random.below(pointCount));
}

/** Each job gets a random one of these points. Thieves search by point. */
export const pointCount = 65_536;
