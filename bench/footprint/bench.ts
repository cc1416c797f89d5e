import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { buildHeadless } from "../support/build.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { footprintBars } from "./figures.ts";
import { measureFootprint } from "./measure.ts";

export const footprintBench: Bench = {
  summary: "what a donor costs that has nothing to do: memory, processor time, wake-ups, network",
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
