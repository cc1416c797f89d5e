import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { paths } from "../../launch/core/paths.ts";
import { headlessEntry } from "../../launch/donor/headless-entry.ts";
import { startFarm } from "../../launch/farm/farm.ts";
import { contextSwitchesOf, msPerTick, proportionalMb, ticksOf, treeOf } from "../support/process-tree.ts";
import { median } from "../support/statistics.ts";
import { countedLine } from "./counted-line.ts";
import type { Footprint } from "./figures.ts";

const minutes = 2;
const memorySamples = 8;
/** Work at the start (enrollment, verification of the demo model, first collections) does not count. */
const settleMs = 45_000;
const patienceMs = 300_000;

/**
 * A headless donor that could work but has no jobs: connected, waiting, and sampling its facts. A second donor
 * counts the processes that it starts, so that counting costs the first one nothing.
 */
export async function measureFootprint(folder: string, say: (line: string) => void): Promise<Footprint> {
  if (headlessEntry() !== paths.headlessBundle)
    say("the sources: what is started otherwise is built (npm run build)");
  const farm = await startFarm();
  const line = await countedLine(new URL(farm.backend.url));
  try {
    const startedFile = join(folder, "started");
    await writeFile(startedFile, "");
    const atRest = { donateNowMinutes: null, env: {} };
    // A separate copy of Node. Memory shared with other programs would count only in part.
    const node = join(folder, "node");
    await copyFile(process.execPath, node);
    const measured = await farm.startDonor("measured", { ...atRest, node, backendUrl: line.url });
    const counter = new URL("./count-subprocesses.ts", import.meta.url).href;
    const counted = await farm.startDonor("counted", {
      ...atRest,
      env: { NODE_OPTIONS: `--import=${counter}`, GLEANER_BENCH_SUBPROCESSES: startedFile },
    });
    say("settling");
    await settled([measured.pid, counted.pid]);

    const now = () => {
      const tree = treeOf(measured.pid);
      return { at: performance.now(), ticks: ticksOf(tree), switches: contextSwitchesOf(tree) };
    };
    const startedBefore = await linesOf(startedFile);
    const before = { ...now(), bytes: line.bytes() };
    const held: number[] = [];
    say(`${minutes} minutes of rest`);
    for (let sample = 0; sample < memorySamples; sample += 1) {
      await sleep((minutes * 60_000) / memorySamples);
      held.push(proportionalMb(treeOf(measured.pid)));
    }
    const after = now();
    const seconds = (after.at - before.at) / 1_000;
    const started = (await linesOf(startedFile)).slice(startedBefore.length);
    if (started.length > 0) say(`started: ${started.join(", ")}`);
    return {
      restMb: median(held),
      cpuPercent: ((after.ticks - before.ticks) * msPerTick) / 10 / seconds,
      contextSwitchesPerSecond: (after.switches - before.switches) / seconds,
      subprocessesPerMinute: (started.length * 60) / seconds,
      bytesPerMinute: ((line.bytes() - before.bytes) * 60) / seconds,
    };
  } finally {
    line.close();
    await farm.close();
  }
}

/** Nor is looking once at a model's file, for which a runner is started. */
async function settled(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let restSince = performance.now();
  while (performance.now() - restSince < settleMs) {
    if (pids.some((pid) => treeOf(pid).length > 1)) restSince = performance.now();
    if (performance.now() > deadline) throw new Error("The donor does not come to rest.");
    await sleep(100);
  }
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, "utf8")).split("\n").filter(Boolean);
}
