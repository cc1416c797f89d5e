import { readFileSync } from "node:fs";
import { readText } from "./read-file.ts";

/** CPU time of this program and its runner in milliseconds. Null if unknown. */
export type OwnCpuTime = () => number | null;

/** Bytes that our own runner holds. They count as free, because the runner gives them back. */
export type OwnMemory = () => number;

/** Our own share of a GPU, which is subtracted from its load. */
export type OwnGpuUse = {
  /** Whether a runner is alive. Without one, the whole load is that of others. */
  readonly isRunning: () => boolean;
  /** This program and all programs that it started. */
  readonly processes: () => ReadonlySet<number>;
};

/**
 * Busy CPU time of this process and the runner. On Linux the runner's own code has low priority, which is counted
 * separately, so only its kernel time is added. Elsewhere the result is null while a runner runs, because measuring
 * it would take a subprocess per sample. (Electron knows its children's CPU time, so the desktop program passes its
 * own function.)
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
    // The runner has just ended.
    return 0;
  }
}

/** Kernel time in milliseconds from /proc/PID/stat (proc(5), field 15, in 1/100 s). */
export function parseKernelMs(stat: string): number | null {
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * 10 : null;
}

/**
 * The memory that the runner would give back. Excludes the mapped model's pages, which the kernel already counts as
 * available. Known only on Linux, and 0 elsewhere.
 */
export function runnerMemory(pid: () => number | undefined): OwnMemory {
  return () => {
    const runner = pid();
    if (runner === undefined || process.platform !== "linux") return 0;
    return parseAnonymousBytes(readText(`/proc/${runner}/status`) ?? "");
  };
}

/** RssAnon of /proc/PID/status (proc(5)), in bytes. 0 if absent. */
export function parseAnonymousBytes(status: string): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? 0 : Number(kib) * 1024;
}

/**
 * This program's processes. The runner may be the child of a program that confines it, so on Linux all descendants
 * count. Elsewhere the runner is a direct child.
 */
export function ownGpuUse(runnerPid: () => number | undefined, folder = "/proc"): OwnGpuUse {
  return {
    isRunning: () => runnerPid() !== undefined,
    processes: () => {
      const found = new Set<number>([process.pid]);
      const runner = runnerPid();
      if (runner !== undefined) found.add(runner);
      // A set's iteration also visits what is added on the way.
      for (const pid of found) {
        const children = readText(`${folder}/${pid}/task/${pid}/children`) ?? "";
        for (const child of children.split(" ")) if (child !== "") found.add(Number(child));
      }
      return found;
    },
  };
}
