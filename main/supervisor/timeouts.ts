import type { SilenceLimits } from "./process/silence.ts";

/** How long the supervisor waits, in ms. */
export type SupervisorTimeouts = {
  /** A yield that takes longer ends the process, because a person waits for it. */
  readonly yieldMs: number;
  /**
   * An abort of the only job that takes longer ends the process: a canceled job should stop within a second. Counted from
   * the end of the load, which nobody aborts.
   */
  readonly abortAloneMs: number;
  /** The same while other jobs run, which would be lost too. */
  readonly abortBesideOthersMs: number;
  /** A process that starts or has jobs and stays silent for longer is stuck. */
  readonly silence: SilenceLimits;
  /** The longest choice of one token, and the longest check of an answer. Meanwhile the other jobs of the model wait. */
  readonly shortStep: SilenceLimits;
  /** How often to look at the memory of a process with jobs. */
  readonly memoryTickMs: number;
  /** A process without jobs ends after this time, and its memory becomes free. */
  readonly idleMs: number;
  /** The same for a process that only read a file's head and holds no model. */
  readonly emptyMs: number;
};

export const supervisorTimeouts: SupervisorTimeouts = {
  yieldMs: 100,
  abortAloneMs: 700,
  abortBesideOthersMs: 10_000,
  silence: { tickMs: 5_000, silenceMs: 60_000, blindSilenceMs: 5 * 60_000 },
  shortStep: { tickMs: 5_000, silenceMs: 15_000, blindSilenceMs: 60_000 },
  memoryTickMs: 500,
  idleMs: 5 * 60_000,
  emptyMs: 2_000,
};
