import { readFileSync } from "node:fs";

/** CPU time in milliseconds since some past moment: used by a process, and left idle on any core. */
export type CpuTimes = { readonly usedMs: number; readonly idleMs: number };

export type ReadCpuTimes = (pid: number) => CpuTimes | null;

export type SilenceLimits = {
  /** How often to look. */
  readonly tickMs: number;
  /** The longest silence, of time in which the process could have spoken. */
  readonly silenceMs: number;
  /** The longest silence if the system tells no CPU times. Longer, because the process may only be starved. */
  readonly blindSilenceMs: number;
};

/** How long one process has sent nothing. Only time in which it could have sent something counts. */
export class Silence {
  readonly #limits: SilenceLimits;
  readonly #read: ReadCpuTimes;
  #before: CpuTimes | null = null;
  /** The share of the longest silence, 0 to 1. */
  #share = 0;

  constructor(limits: SilenceLimits, read: ReadCpuTimes) {
    this.#limits = limits;
    this.#read = read;
  }

  /** The process has sent something, or has nothing to send. */
  reset(): void {
    this.#share = 0;
  }

  /** Call this once a tick. True if the process is stuck. */
  tick(pid: number | undefined): boolean {
    const now = pid === undefined ? null : this.#read(pid);
    this.#share += silenceBetween(this.#before, now, this.#limits);
    this.#before = now;
    // The shares are fractions, so their sum may be a little less than 1.
    return this.#share >= 1 - 1e-6;
  }
}

/**
 * The share of the longest silence, 0 to 1, that one tick adds.
 *
 * A process at the lowest priority may get no processor for minutes and still be well. So time counts only if the
 * process ran (an endless loop), or if it left a processor idle (a deadlock). No tick counts for more than its length,
 * so that the sleep of a suspended computer is not silence.
 *
 * @param before null at the first tick
 * @param now null if the system does not tell
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

/** Null on systems other than Linux, where it would take a subprocess; and once the process has ended. */
export const readCpuTimes: ReadCpuTimes = (pid) => {
  if (process.platform !== "linux") return null;
  try {
    return parseCpuTimes(readFileSync(`/proc/${pid}/stat`, "utf8"), readFileSync("/proc/stat", "latin1"));
  } catch {
    return null;
  }
};

/**
 * Reads /proc/PID/stat (proc(5), fields 14 and 15) and the first line of /proc/stat (field 4), which count in 1/100 s.
 * Time spent waiting for the disk (field 5) does not count as idle: the process has the lowest priority there too.
 */
export function parseCpuTimes(processStat: string, systemStat: string): CpuTimes | null {
  // The second field is the program's name in parentheses, which may contain any character.
  const own = processStat.slice(processStat.lastIndexOf(")") + 2).split(" ");
  const all = (/^cpu +(.+)$/m.exec(systemStat)?.[1] ?? "").split(" ").map(Number);
  // Some sandboxes show a system without any activity.
  if (!all.some((ticks) => ticks > 0)) return null;
  const usedMs = (Number(own[11]) + Number(own[12])) * 10;
  const idleMs = (all[3] ?? Number.NaN) * 10;
  return Number.isFinite(usedMs) && Number.isFinite(idleMs) ? { usedMs, idleMs } : null;
}
