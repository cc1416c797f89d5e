/** CPU time that a process used, and that nobody used on any core, in milliseconds since some time in the past. */
export type CpuTimes = { readonly usedMs: number; readonly idleMs: number };

export type SilenceLimits = {
  /** How often is looked. */
  readonly tickMs: number;
  /** Of the time in which the process could have spoken. */
  readonly silenceMs: number;
  /** Of any time, where it is not known whether the process could have spoken: longer, since it may only be starved. */
  readonly blindSilenceMs: number;
};

/**
 * The share of the longest silence, 0 to 1, by which a process without news came nearer to it between two looks.
 *
 * A process behind everybody else may get no processor for minutes, and is well all the same. Only time counts in which
 * it ran (a loop that never ends), or in which there was processor left for it that it did not want (a deadlock). No
 * look counts for more than its tick, so that a suspended machine's sleep is not silence.
 *
 * @param before null where this is the first look
 * @param now null where the system does not tell
 */
export function silenceBetween(
  before: CpuTimes | null,
  now: CpuTimes | null,
  { tickMs, silenceMs, blindSilenceMs }: SilenceLimits,
): number {
  if (now === null) return tickMs / blindSilenceMs;
  if (before === null) return 0;
  const usedMs = Math.max(0, now.usedMs - before.usedMs);
  const idleMs = Math.max(0, now.idleMs - before.idleMs);
  return Math.min(tickMs, usedMs + idleMs) / silenceMs;
}
