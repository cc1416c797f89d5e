import type { Bar } from "../support/bars.ts";

export type LedgerFigures = {
  /** Commits of completions that lost a conflict in a table of the app, such as the ledger, and ran again; per completion. */
  readonly conflictsPerCompletion: number;
  readonly completionsPerSecond: number;
  /** Characters of the documents of a job that nothing deletes: its order, its entries of the ledger, and its receipt with a part of its seal. */
  readonly bytesPerJobKept: number;
};

export function ledgerBars({ conflictsPerCompletion }: LedgerFigures): readonly Bar[] {
  return [
    {
      text: "conflicts of a completion in the app's tables: at most 0.02",
      value: String(conflictsPerCompletion),
      met: conflictsPerCompletion <= 0.02,
    },
  ];
}
