import { readFileSync } from "node:fs";
import type { CpuTimes } from "./silence.ts";

export type ReadCpuTimes = (pid: number) => CpuTimes | null;

/** Null where it would take a subprocess to know (other systems than Linux), or once the process is gone. */
export const readCpuTimes: ReadCpuTimes = (pid) => {
  if (process.platform !== "linux") return null;
  try {
    return parseCpuTimes(readFileSync(`/proc/${pid}/stat`, "utf8"), readFileSync("/proc/stat", "latin1"));
  } catch {
    return null;
  }
};

/**
 * Out of /proc/PID/stat (proc(5), fields 14 and 15) and the first line of /proc/stat (field 4), which count in 1/100 s.
 * Waiting for the disk (field 5) is left out: a process may be behind everybody else there, too.
 */
export function parseCpuTimes(processStat: string, systemStat: string): CpuTimes | null {
  // The second field is the program's name in parentheses, and may hold anything.
  const own = processStat.slice(processStat.lastIndexOf(")") + 2).split(" ");
  const all = (/^cpu +(.+)$/m.exec(systemStat)?.[1] ?? "").split(" ").map(Number);
  // Some sandboxes show a system that never does anything.
  if (!all.some((ticks) => ticks > 0)) return null;
  const usedMs = (Number(own[11]) + Number(own[12])) * 10;
  const idleMs = (all[3] ?? Number.NaN) * 10;
  return Number.isFinite(usedMs) && Number.isFinite(idleMs) ? { usedMs, idleMs } : null;
}
