import { cpus } from "node:os";
import { type Known, known, unknown } from "../../app/policy/facts.ts";
import type { Sensor } from "./sensor.ts";

/** Milliseconds of CPU time since the system's (or a process's) start. */
export type CpuTimes = { readonly busyMs: number; readonly totalMs: number };

/** What we ourselves used of what counts as busy, in milliseconds; null when it cannot be told. */
export type OwnCpuTime = () => number | null;

/** CPU load of everybody but us, 0 to 1 of all cores, over the time since the last sample. No subprocess. */
export function cpuLoadSensor(
  own: OwnCpuTime,
  system: () => CpuTimes = () => systemCpuTimes(),
): Sensor<number> {
  let before = { ...system(), own: own() };
  return {
    everyMs: 5_000,
    sample: () => {
      const now = { ...system(), own: own() };
      const load = otherLoad(before, now);
      before = now;
      return load;
    },
  };
}

type Sample = CpuTimes & { readonly own: number | null };

export function otherLoad(before: Sample, now: Sample): Known<number> {
  const total = now.totalMs - before.totalMs;
  if (total <= 0 || before.own === null || now.own === null) return unknown;
  // A runner that was replaced takes its time with it: then ours went down, and counts as none.
  const own = Math.max(0, now.own - before.own);
  const load = (now.busyMs - before.busyMs - own) / total;
  return known(Math.min(1, Math.max(0, load)));
}

/**
 * On Linux the time of low-priority programs stands apart, and does not count as busy: it is work that can
 * wait, as ours is. Two donors on one machine would else wait for each other.
 */
export function systemCpuTimes(platform: NodeJS.Platform = process.platform): CpuTimes {
  let busyMs = 0;
  let totalMs = 0;
  for (const { times } of cpus()) {
    const { user, nice, sys, irq, idle } = times;
    busyMs += user + sys + irq + (platform === "linux" ? 0 : nice);
    totalMs += user + nice + sys + irq + idle;
  }
  return { busyMs, totalMs };
}
