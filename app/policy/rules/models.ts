import { spellSeconds } from "../../format/time.ts";
import { check, type Context, isOnStandbyFor, veto } from "../declare/check.ts";
import { number, type ValuesOf } from "../declare/rule.ts";

export const modelRules = {
  /** Disk space that the models may take. */
  diskQuotaMb: number({
    section: "models",
    title: "Maximum disk space for models",
    hint: "When it is full, the model that was not used for longest is deleted.",
    default: 20_480,
    unit: "MiB",
    min: 0,
    max: 16 * 2 ** 20,
    choices: [4_768, 9_537, 20_480, 47_684, 95_367, 190_735],
  }),
  /** Disk space that stays free for everybody else. */
  minFreeDiskMb: number({
    section: "models",
    title: "Disk left free",
    hint: "Nothing is downloaded while less is free.",
    default: 5_120,
    unit: "MiB",
    min: 0,
    max: 16 * 2 ** 20,
    choices: [954, 1_907, 5_120, 9_537, 19_073, 47_684],
  }),
  modelWarmSeconds: number({
    section: "models",
    title: "Kept in memory after a stop",
    hint: "How long a model stays in memory. With 0, the memory is free within a second after somebody comes back.",
    default: 0,
    unit: "seconds",
    min: 0,
    max: 86_400,
    choices: [0, 30, 60, 300, 900, 3_600],
    say: (value) => (value === 0 ? "not at all" : spellSeconds(value)),
  }),
};

type ModelRules = ValuesOf<typeof modelRules>;

/** After "disk-full" the disk has to have this much more room, in MiB. */
const diskHysteresisMb = 512;

/** Jobs need no disk, only models do: a full disk matters only while no model is here. */
export const model = check({
  reasons: {
    "no-model": {
      short: "No model yet",
      brief: "Gleaner waits for a model that your organization uses.",
      sentence: "No model that your organization uses is on this device yet.",
      facts: ["diskFreeMb"],
    },
    "disk-full": {
      short: "Disk nearly full",
      brief: "Gleaner needs more free space on the disk.",
      sentence:
        "No model is here yet, and the disk has no room for one. Free some space, or allow models to leave less of it free.",
      toOthers: {
        short: "Disk nearly full",
        sentence: "No model is on it yet, and its disk has no room for one.",
      },
      facts: ["diskFreeMb"],
    },
  },
  needs: () => ["diskFreeMb"],
  veto: ({
    state,
    facts: { modelReady, diskFreeMb },
    rules,
  }: Context<"modelReady" | "diskFreeMb", ModelRules>) => {
    if (modelReady) return null;
    const margin = isOnStandbyFor(state, "disk-full") ? diskHysteresisMb : 0;
    const full = diskFreeMb.known && diskFreeMb.value < rules.minFreeDiskMb + margin;
    return veto(full ? "disk-full" : "no-model");
  },
});
