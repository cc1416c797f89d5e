import { startFarm } from "../../launch/farm/farm.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { consoleBars, type ConsoleFigures } from "./figures.ts";
import { matrixCells } from "./matrix.ts";
import { measurePages, startBrowser } from "./pages.ts";
import { seed, type Seeded } from "./seed.ts";

/** The console of a large organization in a real browser. */
export const consoleBench: Bench = {
  summary:
    "the console's pages with 10,000 devices, 200 members, up to 1,000,000 jobs: time, documents, reruns",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const browser = await startBrowser();
      const farm = await startFarm({ console: true });
      try {
        const { lastDevice, ...seeded } = await seed(farm, folder, rounds, say);
        const pages = await measurePages(farm, browser, lastDevice, say);
        const result = { pages, matrixCells: await matrixCells(), seeded };
        return { json: result, text: text(result) };
      } finally {
        await browser.close();
        await farm.close();
      }
    }),
};

function text(result: ConsoleFigures & { readonly seeded: Seeded }): string {
  const { devices, members, jobs } = result.seeded;
  return [
    tableRow(`${devices} devices, ${members} members, ${jobs} jobs`, [
      "content ms",
      "documents",
      "reruns: device",
      "payout",
    ]),
    ...Object.entries(result.pages).map(
      ([name, { contentMs, documentsReadMax, rerunsPerDeviceChange, rerunsPerPayout }]) =>
        tableRow(name, [contentMs, documentsReadMax, rerunsPerDeviceChange, rerunsPerPayout]),
    ),
    tableRow("cells of the matrix of rights", [result.matrixCells]),
    ...barLines(consoleBars(result)),
  ].join("\n");
}
