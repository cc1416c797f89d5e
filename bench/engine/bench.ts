import type { Bench } from "../bench.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { embeddedFigures } from "./embedded-figures.ts";
import { convexTestFigures } from "./peer-figures.ts";
import { table } from "./table.ts";

/** The embedded backend against its bars, and against convex-test behind the same front end. */
export const engineBench: Bench = {
  summary: "the embedded backend: mutations, reads, fan-out, start, memory",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const { figures, details } = await embeddedFigures(folder, rounds, say);
      const peers = { "convex-test": await convexTestFigures(folder, rounds, say) };
      const result = roundedNumbers({ ...figures, peers, details });
      return { json: result, text: table(result) };
    }),
};
