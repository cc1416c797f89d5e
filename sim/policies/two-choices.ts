import type { Policy } from "./policy.ts";
import { watchedSlots } from "./random-slots.ts";
import { randomSlot, slotNearPrefix } from "./slots.ts";

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
