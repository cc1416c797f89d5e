import type { Facts } from "../../facts/facts.ts";
import { check, type Context, isOnStandbyFor, veto } from "../declare/check.ts";
import { number, type ValuesOf } from "../declare/rule.ts";

export const loadRules = {
  maxOtherCpuLoad: number({
    section: "others",
    title: "Maximum processor use by other programs",
    hint: "It stops while other programs use more than this share.",
    default: 0.6,
    unit: "share",
    min: 0.05,
    max: 1,
    choices: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  }),
  otherCpuLoadHysteresis: number({
    section: "others",
    title: "Resume margin",
    hint: "It continues once others use this much less, so that it does not start and stop all the time. The same margin holds for the GPU.",
    default: 0.15,
    unit: "share",
    min: 0,
    max: 1,
    choices: [0.05, 0.1, 0.15, 0.2, 0.3],
  }),
  maxOtherGpuLoad: number({
    section: "others",
    title: "Maximum GPU use by other programs",
    hint: "It does not use the GPU while other programs use more than this share, or while their use is unknown. 100% allows any use.",
    default: 0.3,
    unit: "share",
    min: 0.05,
    max: 1,
    choices: [0.1, 0.2, 0.3, 0.5, 0.7, 1],
  }),
  minFreeMemoryMb: number({
    section: "others",
    title: "Memory left free",
    hint: "It stops while other programs leave less than this.",
    default: 512,
    unit: "MiB",
    min: 0,
    max: 16 * 2 ** 20,
    choices: [238, 512, 954, 1_907, 3_815, 7_629],
  }),
};

type LoadRules = ValuesOf<typeof loadRules>;

/** After "memory-low" others have to leave this much more memory free, in MiB. */
const memoryHysteresisMb = 256;

/** An unknown load vetoes nothing, because idleness still counts. */
export const processorLoad = check({
  reasons: {
    "other-load": {
      short: "Computer busy",
      brief: "Gleaner waits until other programs are less busy.",
      sentence: "Other programs need the processor. Gleaner waits until they are done.",
      facts: ["otherCpuLoad", "otherGpuLoad"],
    },
  },
  needs: () => ["otherCpuLoad"],
  donateNowOverrides: ["maxOtherCpuLoad"],
  veto: ({ state, facts: { otherCpuLoad }, rules }: Context<"otherCpuLoad", LoadRules>) => {
    if (!otherCpuLoad.known) return null;
    const most = lowered(rules.maxOtherCpuLoad, isOnStandbyFor(state, "other-load"), rules);
    return otherCpuLoad.value > most ? veto("other-load") : null;
  },
});

/** Unknown memory vetoes nothing: a model that does not fit is not loaded in the first place. */
export const memory = check({
  reasons: {
    "memory-low": {
      short: "Memory needed",
      brief: "Gleaner waits until other programs need less memory.",
      sentence: "Other programs need the memory. Gleaner waits until they leave enough.",
      cooldownSeconds: 60,
      facts: ["memoryFreeMb", "vramFreeMb"],
    },
  },
  needs: () => ["memoryFreeMb"],
  veto: ({ state, facts: { memoryFreeMb }, rules }: Context<"memoryFreeMb", LoadRules>) => {
    if (!memoryFreeMb.known) return null;
    const margin = isOnStandbyFor(state, "memory-low") ? memoryHysteresisMb : 0;
    return memoryFreeMb.value < rules.minFreeMemoryMb + margin ? veto("memory-low") : null;
  },
});

/**
 * Whether others leave the GPU free. Its load is sampled only where a GPU is about to be used: then an unknown load is
 * not free, unless the rule allows any load. Before that, the GPU may be offered.
 * @param before whether the GPU counted as free at the last decision. After "no", others have to use less before we
 *   return.
 */
export function isGpuFree(
  { otherGpuLoad, gpuSampled }: Pick<Facts, "otherGpuLoad" | "gpuSampled">,
  rules: LoadRules,
  before: boolean | null,
): boolean {
  if (rules.maxOtherGpuLoad >= 1 || (!otherGpuLoad.known && !gpuSampled)) return true;
  if (!otherGpuLoad.known) return false;
  return otherGpuLoad.value <= lowered(rules.maxOtherGpuLoad, before !== true, rules);
}

function lowered(most: number, lower: boolean, { otherCpuLoadHysteresis }: LoadRules): number {
  return Math.max(0, lower ? most - otherCpuLoadHysteresis : most);
}
