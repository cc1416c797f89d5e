import { readFileSync } from "node:fs";
import type { OwnCpuTime } from "./cpu-load.ts";

/**
 * CPU time of this process and the runner's. Elsewhere than on Linux the runner's is only known while there
 * is none: measuring it would take a subprocess at every sample. (Electron knows its children's: the desktop
 * program passes its own function.)
 */
export function ownCpuTime(runnerPid: () => number | undefined): OwnCpuTime {
  return () => {
    const { user, system } = process.cpuUsage();
    const pid = runnerPid();
    const runnerMs = pid === undefined ? 0 : processCpuMs(pid);
    return runnerMs === null ? null : (user + system) / 1_000 + runnerMs;
  };
}

function processCpuMs(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return null;
  }
}

/** User and system time out of /proc/PID/stat (proc(5), fields 14 and 15), which counts in 1/100 s. */
export function parseProcStat(stat: string): number | null {
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * 10 : null;
}
