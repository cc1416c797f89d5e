import { readFileSync } from "node:fs";
import type { OwnCpuTime } from "./cpu-load.ts";

/**
 * CPU time of this process and the runner's, as far as it counts as busy: on Linux the runner's own code runs
 * at low priority and stands apart already, so that only its time in the kernel is ours to leave out.
 * Elsewhere the runner's is only known while there is none: measuring it would take a subprocess at every
 * sample. (Electron knows its children's: there the desktop program passes its own function.)
 */
export function ownCpuTime(runnerPid: () => number | undefined): OwnCpuTime {
  return () => {
    const { user, system } = process.cpuUsage();
    const pid = runnerPid();
    const runnerMs = pid === undefined ? 0 : kernelMs(pid);
    return runnerMs === null ? null : (user + system) / 1_000 + runnerMs;
  };
}

function kernelMs(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    return parseKernelMs(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // It ended just now.
    return 0;
  }
}

/** The time in the kernel out of /proc/PID/stat (proc(5), field 15), which counts in 1/100 s. */
export function parseKernelMs(stat: string): number | null {
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * 10 : null;
}
