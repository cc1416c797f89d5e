import type { DeviceView, LaneView, Policy } from "./policy.ts";
import { frontOfSlot, powerOfTwo, randomSlot, slotCell, slotNearPrefix, slotsWithin } from "./slots.ts";

/**
 * Devices per slot. With one, a third of the slots has no watcher by chance; with many, they collide. Of 1, 2,
 * 4 and 8 the last gives the best times and the most conflicts: `--compare devices-per-slot`.
 */
const defaultDevicesPerSlot = 8;

/** The common part of random slots and two choices: a waiting device watches one slot, and no job is stolen. */
function watchedSlots(
  affinity: boolean,
  devicesPerSlot = defaultDevicesPerSlot,
): Omit<Policy, "name" | "summary" | "place" | "readsLengths" | "spreads"> {
  const watch: Policy["watch"] = (device, lane, random) =>
    affinity && device.watched < 0
      ? slotNearPrefix(device.latestPrefix, lane, random)
      : randomSlot(lane, random);
  return {
    cells: (devices) => Math.max(1024, powerOfTwo(devices)),
    slots: (accepting) => slotsWithin(accepting / devicesPerSlot, 1 << 20),
    handsOver: false,
    wakes: "watchers",
    watch,
    next: (device: DeviceView, lane: LaneView, random) =>
      frontOfSlot(slotCell(watch(device, lane, random), lane), lane),
    restsWhenWoken: false,
    positions: "hash",
    claimsFirst: false,
    steal: null,
    polls: "watches another",
  };
}

/** A job goes to a random slot, and a device watches a random slot. */
export function randomSlots(affinity: boolean, devicesPerSlot?: number): Policy {
  return {
    ...watchedSlots(affinity, devicesPerSlot),
    name: `random-slots${affinity ? "-affinity" : ""}${devicesPerSlot === undefined ? "" : `-${devicesPerSlot}`}`,
    summary: affinity
      ? "a job goes to its prefix's slot; a device watches that of its latest prefix, then random ones"
      : "a job goes to a random slot; a device watches a random slot",
    place: (prefix, lane, random) =>
      affinity ? slotNearPrefix(prefix, lane, random) : randomSlot(lane, random),
    spreads: affinity,
    readsLengths: false,
  };
}

/** Like random slots, but a job goes to the shorter of two slots. */
export function twoChoices(affinity: boolean): Policy {
  return {
    ...watchedSlots(affinity),
    name: affinity ? "two-choices-affinity" : "two-choices",
    summary: affinity
      ? "a job goes to the shorter of its prefix's two slots; a device watches that of its latest prefix, then random ones"
      : "a job goes to the shorter of two random slots; a device watches a random slot",
    place: (prefix, lane, random) => {
      const one = affinity ? slotNearPrefix(prefix, lane, random) : randomSlot(lane, random);
      const other = affinity ? slotNearPrefix(prefix, lane, random, 1) : randomSlot(lane, random);
      return lane.lengthOf(other) < lane.lengthOf(one) ? other : one;
    },
    spreads: affinity,
    readsLengths: true,
  };
}
