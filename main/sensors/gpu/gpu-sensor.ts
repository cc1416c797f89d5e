import type { Found, Sensor } from "../base/sensor.ts";
import { type GpuMeter, judgeGpus } from "./gpu-meter.ts";

/** As often as the processor's load. */
const everyMs = 5_000;
/** The last load is kept this long when a sample fails, so that one failure unloads no model. */
const keptForMs = 15_000;

/**
 * What other programs leave of the GPUs. Sampled only while a job starts or our runner lives, because nothing
 * depends on it before.
 * @param subprocesses whether each sample starts a program.
 */
export function gpuSensor(
  meters: readonly GpuMeter[],
  subprocesses = false,
  now: () => number = () => performance.now(),
): Sensor {
  let last: { readonly load: NonNullable<Found["otherGpuLoad"]>; readonly at: number } | null = null;
  return {
    source: meters.map(({ source }) => source).join(", "),
    facts: ["otherGpuLoad", "vramFreeMb"],
    everyMs,
    ...(subprocesses ? { subprocessEveryMs: everyMs } : undefined),
    onlyWhileRunning: true,
    follow: () => {
      const close = meters.map(({ open }) => open?.());
      return () => {
        last = null;
        for (const each of close) each?.();
      };
    },
    sample: async ({ deniedGpus = [] }) => {
      const readings = await Promise.all(meters.map((meter) => meter.read()));
      const { otherGpuLoad, vramFreeMb } = judgeGpus(readings.flat(), deniedGpus);
      if (otherGpuLoad.known) last = { load: otherGpuLoad, at: now() };
      const isFresh = last !== null && now() - last.at < keptForMs;
      return { otherGpuLoad: last !== null && isFresh ? last.load : otherGpuLoad, vramFreeMb };
    },
  };
}
