import type { Limits } from "./declare/activity.ts";

/** The limits of an idle computer under the default rules. The gallery uses them, too, and no other fixture. */
export const idleLimits: Limits = {
  threads: null,
  gpu: true,
  deniedGpus: [],
  memoryMb: null,
  dutyCycle: 1,
  confined: false,
  stillSince: null,
};
