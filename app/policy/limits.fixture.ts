import type { Limits } from "./declare/activity.ts";

/** Of an idle computer, by the default rules. Apart from the tests' other fixtures: the gallery shows them, too. */
export const idleLimits: Limits = {
  threads: null,
  gpu: true,
  deniedGpus: [],
  memoryMb: null,
  dutyCycle: 1,
  confined: false,
  stillSince: null,
};
