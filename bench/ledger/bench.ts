import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { ledgerBars } from "./figures.ts";
import { measureLedger } from "./measure.ts";

/** The conflicts and the kept documents of jobs that are paid: 50 workers, one organization, one key. */
export const ledgerBench: Bench = {
  summary: "the ledger: conflicts of completions with one key, and bytes that are kept of a job",
  run: async (_rounds, say) => {
    const { collisions, kept, completions, queueConflictsPerCompletion, ...measured } = roundedNumbers(
      await measureLedger(say),
    );
    const bars = ledgerBars(measured);
    const text = [
      tableRow("completions", [completions]),
      tableRow("completions per second", [measured.completionsPerSecond]),
      tableRow("conflicts of a completion in the app's tables", [measured.conflictsPerCompletion]),
      tableRow("the same in the queue's tables", [queueConflictsPerCompletion]),
      tableRow("bytes of a job that are kept", [measured.bytesPerJobKept]),
      ...Object.entries(kept).map(([table, { documents, bytes }]) =>
        tableRow(`  ${table}: documents, bytes of each`, [documents, Math.round(bytes / documents)]),
      ),
      ...Object.entries(collisions).map(([name, each]) =>
        tableRow(`  ${name}: runs, conflicts`, [each.runs, each.conflicts]),
      ),
      "",
      ...barLines(bars),
    ].join("\n");
    const details = { completions, queueConflictsPerCompletion, collisions, kept };
    return { json: { ...measured, details, bars }, text };
  },
};
