import type { SilenceLimits } from "./process/silence.ts";

/** How long the supervisor waits for what, in ms. */
export type SupervisorTimes = {
  /** A yield that takes longer ends the process: a person waits for it. */
  readonly yieldMs: number;
  /** So does the abort of a job that runs alone: who cancels one wants it to stop within a second. */
  readonly abortAloneMs: number;
  /** The same for a job beside which others run: they would be lost, too. */
  readonly abortBesideOthersMs: number;
  /** Jobs, or a start, without any message for this long are stuck. */
  readonly silence: SilenceLimits;
  /** How often the memory of a process with jobs is looked at. */
  readonly memoryTickMs: number;
  /** Without a job for this long, the process and its memory go … */
  readonly idleMs: number;
  /** … and sooner where it holds no model: it had no job, but was asked about a file. */
  readonly emptyMs: number;
};

export const supervisorTimes: SupervisorTimes = {
  yieldMs: 100,
  abortAloneMs: 700,
  abortBesideOthersMs: 10_000,
  silence: { tickMs: 5_000, silenceMs: 60_000, blindSilenceMs: 5 * 60_000 },
  memoryTickMs: 500,
  idleMs: 5 * 60_000,
  emptyMs: 2_000,
};
