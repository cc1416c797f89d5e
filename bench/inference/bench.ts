import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { inferenceBars } from "./figures.ts";
import { measureInference } from "./measure.ts";
import { makeModel } from "./model.ts";

/** The share of llama.cpp's own speed that remains through the whole farm. */
export const inferenceBench: Bench = {
  summary: "tokens per second through the farm, beside node-llama-cpp alone; prompts that begin alike",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      say("writing a model of 100 million parameters");
      const model = await makeModel(folder);
      const figures = await measureInference(model, rounds, say);
      const { sequences, prefixSaved, threads, cores } = figures;
      const text = [
        tableRow(`tokens per second, ${threads} of ${cores} cores`, ["farm", "direct", "ratio"]),
        ...sequences.map(({ n, farm, direct, ratio }) =>
          tableRow(`${n} at once`, [farm, direct, ratio.toFixed(3)]),
        ),
        tableRow("share of prompts' tokens not read again", [prefixSaved]),
        "",
        ...barLines(inferenceBars(figures)),
      ].join("\n");
      return { json: figures, text };
    }),
};
