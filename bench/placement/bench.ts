import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { placementBars, type PlacementFigures } from "./figures.ts";
import { measurePlacement } from "./measure.ts";

/** The turnaround of jobs on fast and slow workers, compared with a queue that does not know their speeds. */
export const placementBench: Bench = {
  summary: "turnaround on 60 workers of 3 to 120 tokens a second, with and without speeds; a straggler",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const result = roundedNumbers(await measurePlacement(folder, rounds, say));
      return { json: result, text: text(result) };
    }),
};

function text(result: PlacementFigures & { readonly jobs: number }): string {
  const { turnaround, straggler, jobs } = result;
  const { ours, before } = turnaround;
  return [
    tableRow(`turnaround of ${jobs} jobs, ms`, ["mean", "p95"]),
    tableRow("with speeds", [ours.meanMs, ours.p95Ms]),
    tableRow("without, as before", [before.meanMs, before.p95Ms]),
    tableRow("a job on the idle fleet, ms", [straggler.expectedMs]),
    tableRow("added by a worker that freezes, ms", [straggler.addedMs]),
    "",
    ...barLines(placementBars(result)),
  ].join("\n");
}
