import { startFarm } from "../../launch/farm/farm.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { measureCrowd } from "./crowd.ts";
import { requestBars, type RequestFigures } from "./figures.ts";
import { measureBatch, measureMemory } from "./files.ts";
import { measureLatencies } from "./latency.ts";
import {
  beside,
  type Calls,
  countStreamedMinute,
  countWaitingMinute,
  holdDevice,
  measureQuietMinute,
} from "./minutes.ts";
import { makeRequester } from "./requester.ts";
import { startStandIn } from "./stand-in.ts";

const samplesOfRound = 20;
const jobsAtOnce = 8;
/** It ends within five minutes. A slow machine sends fewer files, and leaves the crowd out. */
const endsWithinMs = 290_000;
const crowdTakesMs = 55_000;

export const requestsBench: Bench = {
  summary: "the HTTP API through everything: time beside the queue's, function calls, batches, memory",
  run: async (rounds, say) => {
    const endsAt = performance.now() + endsWithinMs;
    const leftMs = (): number => endsAt - performance.now();
    const within = (least: number, most: number, laterMs: number): number =>
      Math.max(least, Math.min(most, leftMs() - laterMs));
    const farm = await startFarm();
    try {
      const requester = makeRequester(farm);
      const single = await startStandIn(farm, 1);
      await holdDevice(requester);
      say("a quiet minute");
      const quiet = await measureQuietMinute(farm);
      say("a minute of waiting");
      const waiting = beside(await countWaitingMinute(farm, requester, single), quiet.calls);
      say("a minute of a stream");
      const streamed = beside(await countStreamedMinute(farm, requester), quiet.calls);
      say("whole and streamed answers, one at a time");
      const latencies = await measureLatencies(requester, single, rounds * samplesOfRound);
      say("files of 200 MB in and out");
      const memory = await measureMemory(farm, requester, {
        before: quiet.residentBytes,
        withinMs: within(5_000, 35_000, 45_000),
      });
      say("hundreds of calls that wait");
      const crowd = leftMs() > crowdTakesMs ? await measureCrowd(farm, requester, single) : null;
      await single.stop();
      say("a batch");
      const many = await startStandIn(farm, jobsAtOnce);
      const batchLinesPerSecond = await measureBatch(farm, requester, within(8_000, 30_000, 0));
      await many.stop();
      const figures: RequestFigures = roundedNumbers({
        ttftOverheadP50: latencies.ttftOverheadP50,
        overheadP50: latencies.overheadP50,
        callsPerStreamedMinute: streamed.total,
        callsPerWaitingMinute: waiting.total,
        batchLinesPerSecond,
        memoryGrowthMb: memory.growthMb,
        memoryPeakMb: memory.peakGrowthMb,
      });
      const details = roundedNumbers({
        latencies,
        streamedMinute: streamed.byFunction,
        waitingMinute: waiting.byFunction,
        quietMinute: quiet.calls.byFunction,
        crowd,
        memory,
      });
      const bars = requestBars(figures);
      const text = [
        tableRow("ms to the first token beside the queue's, p50", [figures.ttftOverheadP50]),
        tableRow("ms of a whole call beside the queue's, p50", [figures.overheadP50]),
        tableRow("… after the job's end", [details.latencies.afterEndP50]),
        tableRow("samples of each", [details.latencies.samples]),
        tableRow("lines of a batch per second", [figures.batchLinesPerSecond]),
        tableRow("runs of functions in a quiet minute", [quiet.calls.total]),
        tableRow("calls that waited at the same time", [crowd?.waiting ?? "–"]),
        tableRow("% of a core for them", [details.crowd?.cpuPercent ?? "–"]),
        ...callRows("a streamed minute", streamed),
        ...callRows("a waiting minute", waiting),
        "",
        ...barLines(bars),
      ].join("\n");
      return { json: { ...figures, details, bars }, text };
    } finally {
      await farm.close();
    }
  },
};

function callRows(title: string, { total, byFunction }: Calls): readonly string[] {
  return [
    tableRow(`runs of functions in ${title}`, [total]),
    ...Object.entries(byFunction).map(([name, runs]) => tableRow(`  ${name}`, [runs])),
  ];
}
