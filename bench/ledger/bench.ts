import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { ledgerBars } from "./figures.ts";
import { bytesPerJob, type Kept } from "./kept-bytes.ts";
import { measureLedger } from "./measure.ts";

/** The conflicts and the kept documents of jobs that are paid: 50 and 200 workers, one organization, one key. */
export const ledgerBench: Bench = {
  summary: "the ledger: conflicts of completions with one key, and bytes that are kept of a job",
  run: async (_rounds, say) => {
    const { collisions, kept, completions, queueConflictsPerCompletion, manyWorkers, ...measured } =
      roundedNumbers(await measureLedger(say));
    const { atTwoHundred } = measured;
    const bars = ledgerBars(measured);
    const text = [
      tableRow("completions", [completions]),
      tableRow("completions per second", [measured.completionsPerSecond]),
      tableRow("conflicts of a completion in the app's tables", [measured.conflictsPerCompletion]),
      tableRow("the same in the queue's tables", [queueConflictsPerCompletion]),
      tableRow(`${manyWorkers} workers, 200 sent a second: completions, rounds`, [
        atTwoHundred.completions,
        atTwoHundred.rounds,
      ]),
      tableRow("  completions per second", [atTwoHundred.completionsPerSecond]),
      tableRow("  conflicts of a completion in all tables", [atTwoHundred.conflictsPerCompletion]),
      tableRow("  under way at a time: measured, needed", [
        atTwoHundred.underWay.measured,
        atTwoHundred.underWay.needed,
      ]),
      tableRow("bytes of a job that are kept", [measured.bytesPerJobKept]),
      ...Object.entries(kept.forGood).map(tableLine),
      tableRow("bytes of a job that are kept for days", [Math.round(bytesPerJob(kept, kept.forDays))]),
      ...Object.entries(kept.forDays).map(tableLine),
      ...Object.entries(collisions).map(([name, each]) =>
        tableRow(`  ${name}: runs, conflicts`, [each.runs, each.conflicts]),
      ),
      "",
      ...barLines(bars),
    ].join("\n");
    const details = { completions, manyWorkers, queueConflictsPerCompletion, collisions, kept };
    return { json: { ...measured, details, bars }, text };
  },
};

function tableLine([table, { documents, bytes }]: [string, Kept["forDays"][string]]): string {
  return tableRow(`  ${table}: documents, bytes of each`, [
    documents,
    Math.round(bytes / Math.max(1, documents)),
  ]);
}
