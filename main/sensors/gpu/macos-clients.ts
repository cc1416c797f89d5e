import { setTimeout as sleep } from "node:timers/promises";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { OwnGpuUse } from "../base/own-use.ts";
import { runSubprocess } from "../base/subprocess.ts";
import { type BusySample, type BusyTime, BusyWatch } from "./busy-time.ts";
import { type GpuMeter, share } from "./gpu-meter.ts";

const gpu = "Apple's GPU";

/** `whole`: the whole load at this moment, 0 to 1; null if unknown. */
type MacSample = BusySample & { readonly whole: number | null };

/** The GPU of a Mac: IOKit's statistics of the driver's clients. They are readable without any right. */
export function macMeter(
  own: OwnGpuUse,
  program = "/usr/sbin/ioreg",
  wait: (ms: number) => Promise<unknown> = sleep,
  now: () => number = () => performance.now(),
): GpuMeter {
  const watch = new BusyWatch<MacSample>(async () => {
    const args = ["-r", "-c", "IOAccelerator", "-l", "-w", "0"];
    const result = await runSubprocess(program, args, { maxBytes: 8 * 1024 * 1024 });
    const text = result.kind === "ok" ? result.stdout : "";
    return { atMs: now(), times: parseClients(text, own.processes()), whole: parseWhole(text) };
  }, wait);
  return {
    source: "ioreg",
    read: async () => {
      const { sample, shares } = await watch.read();
      const otherLoad = othersOf(sample, shares.get(gpu)?.others ?? 0, own.isRunning());
      return otherLoad.known
        ? [{ id: gpu, index: null, integrated: true, otherLoad, vramFreeMb: unknown }]
        : [];
    },
  };
}

/** Drivers that do not count each program's time tell only the whole. */
function othersOf({ times, whole }: MacSample, others: number, isRunning: boolean): Known<number> {
  if (times.length > 0) return known(share(others));
  return isRunning || whole === null ? unknown : known(share(whole));
}

/** Each client has a block with its process and its GPU time in nanoseconds. */
export function parseClients(text: string, ours: ReadonlySet<number>): readonly BusyTime[] {
  return text.split("+-o ").flatMap((block): BusyTime[] => {
    const pid = /"IOUserClientCreator" = "pid (\d+),/.exec(block)?.[1];
    const entry = /\bid (0x[0-9a-f]+)/.exec(block)?.[1] ?? pid;
    const times = [...block.matchAll(/"accumulatedGPUTime"=(\d+)/g)].map(([, ns]) => Number(ns));
    if (pid === undefined || entry === undefined || times.length === 0) return [];
    const busy = times.reduce((sum, ns) => sum + ns, 0);
    const own = ours.has(Number(pid));
    return [{ gpu, engine: "all", client: entry, own, busy, total: null, engines: 1 }];
  });
}

function parseWhole(text: string): number | null {
  const percent = /"Device Utilization %"=(\d+)/.exec(text)?.[1];
  return percent === undefined ? null : Number(percent) / 100;
}
