/*
 * How an organization uses checks of answers.
 */

/**
 * - `off`: no answer is replayed.
 * - `watch`: answers are replayed, and administrators see the results. Nothing is taken from anybody.
 * - `act`: the pay of new devices waits for their checks, a wrong answer is not paid, and its device is paused. Devices that no replay can
 *   test get canaries: canaries.ts.
 */
export const checkModes = ["off", "watch", "act"] as const;
export type CheckMode = (typeof checkModes)[number];

/** The mode of an organization that chose none. */
export const usualCheckMode: CheckMode = "watch";

/** The modes in words. */
export const checkModeWords: Readonly<Record<CheckMode, string>> = {
  off: /* @wc-include */ "Off",
  watch: /* @wc-include */ "Watch only",
  act: /* @wc-include */ "Act",
};
