import type { Random } from "../structures/random.ts";
import type { LaneView, Policy } from "./policy.ts";
import { frontOfSlot, powerOfTwo, randomSlot, slotCell, slotNearPrefix, slotsWithin } from "./slots.ts";

/** The place of a steal: the back of a random busy slot, or the next ready job after a random point. */
type Theft = "back" | "random point";

/**
 * Each device takes from the front of its home slot. Devices of one slot are woken together. A device without
 * work at home asks where work is and claims it.
 */
export function homeSlots(affinity: boolean, theft: Theft): Policy {
  const where = theft === "back" ? "from the back of a random busy slot" : "at a random point";
  return {
    name: `home-slots${theft === "back" ? "" : "-random-theft"}${affinity ? "-affinity" : ""}`,
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
    theft: theft === "back" ? backOfBusy : atRandomPoint,
    looksAgain: "steals",
  };
}

function backOfBusy(lane: LaneView, random: Random): number {
  const cell = lane.busyCell(random);
  return cell < 0 ? -1 : lane.lastOf(cell);
}

function atRandomPoint(lane: LaneView, random: Random): number {
  return lane.byPoint(random.below(pointCount));
}

/** Points that jobs are given at random, for thieves to come upon them. */
export const pointCount = 65_536;
