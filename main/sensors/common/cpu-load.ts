import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { OwnCpuTime } from "../base/own-use.ts";
import type { Sensor } from "../base/sensor.ts";

/** Milliseconds of CPU time since the system's (or a process's) start. */
type CpuTimes = { readonly busyMs: number; readonly totalMs: number };

/** The shortest time over which a load is computed. */
const shortestMs = 1_000;

/** CPU load of all other programs since the last sample, 0 to 1 of all cores. No subprocess. */
export function cpuLoadSensor(
  own: OwnCpuTime,
  system: () => CpuTimes = () => systemCpuTimes(),
): Sensor & { readonly sample: () => { readonly otherCpuLoad: Known<number> } } {
  let before = { ...system(), own: own() };
  let last: Known<number> = unknown;
  return {
    source: process.platform === "linux" ? "/proc/stat" : "the system's CPU times",
    facts: ["otherCpuLoad"],
    everyMs: 5_000,
    sample: () => {
      const now = { ...system(), own: own() };
      // Over a few milliseconds the load is 0 or 1, which means nothing.
      const isTooSoon = last.known && now.totalMs - before.totalMs < shortestMs * availableParallelism();
      if (isTooSoon) return { otherCpuLoad: last };
      last = otherLoad(before, now);
      before = now;
      return { otherCpuLoad: last };
    },
  };
}

type Sample = CpuTimes & { readonly own: number | null };

export function otherLoad(before: Sample, now: Sample): Known<number> {
  const total = now.totalMs - before.totalMs;
  if (total <= 0 || before.own === null || now.own === null) return unknown;
  // When a runner is replaced, its CPU time is gone and our total decreases. That counts as 0.
  const own = Math.max(0, now.own - before.own);
  const load = (now.busyMs - before.busyMs - own) / total;
  return known(Math.min(1, Math.max(0, load)));
}

/**
 * Linux counts the time of low-priority programs separately. It does not count as busy here, because such work can
 * wait, like ours. Otherwise two donors on one machine would wait for each other.
 */
export function systemCpuTimes(platform: NodeJS.Platform = process.platform): CpuTimes {
  if (platform === "linux") {
    const times = readStat();
    if (times !== null) return times;
  }
  let busyMs = 0;
  let totalMs = 0;
  for (const { times } of cpus()) {
    const { user, nice, sys, irq, idle } = times;
    busyMs += user + sys + irq + (platform === "linux" ? 0 : nice);
    totalMs += user + nice + sys + irq + idle;
  }
  return { busyMs, totalMs };
}

/** Node's `cpus()` reads several files for each core. The first line of /proc/stat has the sum. */
function readStat(): CpuTimes | null {
  try {
    return parseStat(readFileSync("/proc/stat", "latin1"));
  } catch {
    return null;
  }
}

/** The first line of /proc/stat (proc(5)), in 1/100 s: user nice system idle iowait irq softirq steal … */
export function parseStat(text: string): CpuTimes | null {
  const line = /^cpu +(.+)$/m.exec(text)?.[1];
  if (line === undefined) return null;
  const [user, nice, system, idle, iowait, irq, softirq] = line.split(" ").map((ticks) => Number(ticks) * 10);
  if (user === undefined || nice === undefined || system === undefined || idle === undefined) return null;
  const busyMs = user + system + (irq ?? 0) + (softirq ?? 0);
  const totalMs = busyMs + nice + idle + (iowait ?? 0);
  return Number.isFinite(totalMs) ? { busyMs, totalMs } : null;
}
