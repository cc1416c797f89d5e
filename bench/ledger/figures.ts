import type { Bar } from "../support/bars.ts";
import type { AtTwoHundred } from "./at-two-hundred.ts";

export type LedgerFigures = {
  /** Commits of completions that lost a conflict in a table of the app, such as the ledger, and ran again; per completion. */
  readonly conflictsPerCompletion: number;
  readonly completionsPerSecond: number;
  /** Characters of the documents of a job that nothing deletes: its order, its entries of the ledger, and its receipt with a part of its seal. */
  readonly bytesPerJobKept: number;
  /** Many workers that end their jobs, 200 a second, and claim no others meanwhile. */
  readonly atTwoHundred: AtTwoHundred;
};

export function ledgerBars({ conflictsPerCompletion, atTwoHundred }: LedgerFigures): readonly Bar[] {
  return [
    {
      text: "conflicts of a completion in all tables at 200 a second: at most 0.02",
      value: String(atTwoHundred.conflictsPerCompletion),
      met: atTwoHundred.conflictsPerCompletion <= 0.02,
    },
    {
      text: "conflicts of a completion in the app's tables: at most 0.02",
      value: String(conflictsPerCompletion),
      met: conflictsPerCompletion <= 0.02,
    },
  ];
}
