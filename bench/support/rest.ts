import { setTimeout as sleep } from "node:timers/promises";
import { contextSwitchesOf, msPerTick, proportionalMb, ticksOf, treeOf } from "./process-tree.ts";
import { median } from "./statistics.ts";

type Rest = {
  /** Proportional set size in MB of 10^6 bytes: the median of the samples. */
  readonly pssMb: number;
  /** Of one core. */
  readonly cpuPercent: number;
  readonly contextSwitchesPerSecond: number;
  readonly seconds: number;
};

/** The cost of a process with its children while nothing happens for `restMs`. */
export async function measureRest(pid: number, restMs: number, samples: number): Promise<Rest> {
  const now = () => {
    const tree = treeOf(pid);
    return { at: performance.now(), ticks: ticksOf(tree), switches: contextSwitchesOf(tree) };
  };
  const before = now();
  const held: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    await sleep(restMs / samples);
    held.push(proportionalMb(treeOf(pid)));
  }
  const after = now();
  const seconds = (after.at - before.at) / 1_000;
  return {
    pssMb: median(held),
    cpuPercent: ((after.ticks - before.ticks) * msPerTick) / 10 / seconds,
    contextSwitchesPerSecond: (after.switches - before.switches) / seconds,
    seconds,
  };
}
