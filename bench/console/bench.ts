import { startFarm } from "../../launch/farm/farm.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { consoleBars, type ConsoleFigures } from "./figures.ts";
import { matrixCells } from "./matrix.ts";
import { measurePages, startBrowser } from "./pages.ts";
import { seed, type Seeded } from "./seed.ts";

/** With the default rounds, all of it ends within five minutes. Pages for which no time is left are not measured. */
const withinMs = 285_000;
const defaultRounds = 5;
const jobsMsPerRound = 24_000;
/** The time that all pages take on two idle cores. */
const pagesMs = 130_000;

/** The console of a large organization in a real browser. */
export const consoleBench: Bench = {
  summary:
    "the console's pages with 10,000 devices, 200 members, up to 1,000,000 jobs: time, documents, reruns",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const startedAt = performance.now();
      const moreMs = Math.max(0, rounds - defaultRounds) * jobsMsPerRound;
      const leftMs = (): number => withinMs + moreMs - (performance.now() - startedAt);
      const browser = await startBrowser();
      const farm = await startFarm({ console: true });
      try {
        const jobsMs = (): number => Math.min(rounds * jobsMsPerRound, leftMs() - pagesMs);
        const { seeded, landmarks } = await seed(farm, folder, jobsMs, say);
        const { pages, leftOut } = await measurePages(farm, browser, landmarks, leftMs(), say);
        const result = { pages, matrixCells: await matrixCells(), seeded, leftOut };
        return { json: result, text: text(result) };
      } finally {
        await browser.close();
        await farm.close();
      }
    }),
};

type Result = ConsoleFigures & {
  readonly seeded: Seeded;
  /** The pages for which no time was left. */
  readonly leftOut: readonly string[];
};

function text(result: Result): string {
  const { devices, members, keys, jobs, usageRows, auditRows } = result.seeded;
  return [
    `  ${devices} devices, ${members} members, ${keys} keys, ${jobs} jobs, ${usageRows} usage rows, ${auditRows} audit rows`,
    tableRow("", ["content ms", "documents", "reruns: device", "payout"]),
    ...Object.entries(result.pages).map(
      ([name, { contentMs, documentsReadMax, rerunsPerDeviceChange, rerunsPerPayout }]) =>
        tableRow(name, [contentMs, documentsReadMax, rerunsPerDeviceChange, rerunsPerPayout]),
    ),
    ...(result.leftOut.length === 0 ? [] : [`  no time was left for: ${result.leftOut.join(", ")}`]),
    tableRow("cells of the matrix of rights", [result.matrixCells]),
    ...barLines(consoleBars(result)),
  ].join("\n");
}
