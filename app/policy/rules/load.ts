import type { Facts } from "../../facts/facts.ts";
import type { Rules } from "../rules.ts";
import { type Check, heldFor, hold } from "../declare/check.ts";

/** Once others needed the memory, they have to leave so much more of it free, in MiB. */
const memoryHysteresisMb = 256;

/** An unknown load holds nothing: there is no limit to compare it with, and idleness still counts. */
export const processorLoad: Check<
  "otherCpuLoad",
  "maxOtherCpuLoad" | "otherCpuLoadHysteresis",
  "other-load"
> = ({ state, facts: { otherCpuLoad }, rules }) => {
  if (!otherCpuLoad.known) return null;
  const limit = lowered(rules.maxOtherCpuLoad, heldFor(state, "other-load"), rules);
  return otherCpuLoad.value > limit ? hold("other-load") : null;
};

/** Unknown, it holds nothing: a model that does not fit is not loaded in the first place. */
export const memory: Check<"memoryFreeMb", "minFreeMemoryMb", "memory-low"> = ({
  state,
  facts: { memoryFreeMb },
  rules,
}) => {
  if (!memoryFreeMb.known) return null;
  const margin = heldFor(state, "memory-low") ? memoryHysteresisMb : 0;
  return memoryFreeMb.value < rules.minFreeMemoryMb + margin ? hold("memory-low") : null;
};

/**
 * Whether others leave the GPU alone. Unknown counts as before, and as calm where there is no before: most drivers tell
 * the load of everybody together, which says nothing about others once we work ourselves.
 * @param before whether it counted as calm at the last look: then it takes more of them for us to leave it.
 */
export function isGpuCalm({ otherGpuLoad }: Facts, rules: Rules, before: boolean | null): boolean {
  if (!otherGpuLoad.known) return before ?? true;
  return otherGpuLoad.value <= lowered(rules.maxOtherGpuLoad, before !== true, rules);
}

function lowered(
  limit: number,
  lower: boolean,
  { otherCpuLoadHysteresis }: Pick<Rules, "otherCpuLoadHysteresis">,
): number {
  return Math.max(0, lower ? limit - otherCpuLoadHysteresis : limit);
}
