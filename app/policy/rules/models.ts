import { type Check, heldFor, hold } from "../declare/check.ts";

/** Once too full for a model, the disk has to have so much more room, in MiB. */
const diskHysteresisMb = 512;

/** Jobs need no disk, only the models do: a full one matters while there is none. */
export const model: Check<"modelReady" | "diskFreeMb", "minFreeDiskMb", "no-model" | "disk-full"> = ({
  state,
  facts: { modelReady, diskFreeMb },
  rules,
}) => {
  if (modelReady) return null;
  const margin = heldFor(state, "disk-full") ? diskHysteresisMb : 0;
  const full = diskFreeMb.known && diskFreeMb.value < rules.minFreeDiskMb + margin;
  return hold(full ? "disk-full" : "no-model");
};
