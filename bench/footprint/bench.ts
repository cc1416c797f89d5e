import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { paths } from "../../launch/core/paths.ts";
import { headlessEntry } from "../../launch/donor/headless-entry.ts";
import { startFarm } from "../../launch/farm/farm.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { buildHeadless } from "../support/build.ts";
import { treeOf } from "../support/process-tree.ts";
import { measureRest } from "../support/rest.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { countedLine } from "./counted-line.ts";
import { type Footprint, footprintBars } from "./figures.ts";

const minutes = 2;
const memorySamples = 8;
/** Work at the start (enrollment, verification of the demo model, first collections) does not count. */
const settleMs = 45_000;
const patienceMs = 300_000;

export const footprintBench: Bench = {
  summary: "what an idle donor costs: memory, processor time, wake-ups, network",
  run: (_rounds, say) =>
    withScratch(async (folder) => {
      say("building");
      await buildHeadless();
      const json = roundedNumbers(await measureFootprint(folder, say));
      const text = [
        tableRow("memory (PSS), MB", [json.restMb]),
        tableRow("% of one core", [json.cpuPercent]),
        tableRow("context switches a second", [json.contextSwitchesPerSecond]),
        tableRow("subprocesses a minute", [json.subprocessesPerMinute]),
        tableRow("bytes a minute, to and from the backend", [json.bytesPerMinute]),
        "",
        ...barLines(footprintBars(json)),
      ].join("\n");
      return { json, text };
    }),
};

/**
 * A headless donor that could work but has no jobs: connected, waiting, and sampling its facts. A second donor
 * counts the processes that it starts, so that counting costs the first one nothing.
 */
async function measureFootprint(folder: string, say: (line: string) => void): Promise<Footprint> {
  if (headlessEntry() !== paths.headlessBundle)
    say("measures the sources, because the donor is not built (npm run build)");
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

    const startedBefore = await linesOf(startedFile);
    const bytesBefore = line.bytes();
    say(`idle for ${minutes} minutes`);
    const rest = await measureRest(measured.pid, minutes * 60_000, memorySamples);
    const { seconds } = rest;
    const started = (await linesOf(startedFile)).slice(startedBefore.length);
    if (started.length > 0) say(`started: ${started.join(", ")}`);
    return {
      restMb: rest.pssMb,
      cpuPercent: rest.cpuPercent,
      contextSwitchesPerSecond: rest.contextSwitchesPerSecond,
      subprocessesPerMinute: (started.length * 60) / seconds,
      bytesPerMinute: ((line.bytes() - bytesBefore) * 60) / seconds,
    };
  } finally {
    line.close();
    await farm.close();
  }
}

/** Waits until no donor has had a child process for a while. At its start a donor inspects its model in a runner. */
async function settled(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let restSince = performance.now();
  while (performance.now() - restSince < settleMs) {
    if (pids.some((pid) => treeOf(pid).length > 1)) restSince = performance.now();
    if (performance.now() > deadline) throw new Error("The donor did not become idle.");
    await sleep(100);
  }
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, "utf8")).split("\n").filter(Boolean);
}
