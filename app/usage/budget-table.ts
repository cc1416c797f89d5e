import { type Cell, csvOf } from "../format/csv.ts";
import { creditsNumber } from "../money/credits.ts";
import { type BudgetState, shareOfBudget } from "./budget.ts";

/** A budget of this month. `name`: null if its key, member or team is gone. */
export type BudgetFigures = {
  readonly subject: string;
  readonly kind: "key" | "member" | "team";
  readonly name: string | null;
  readonly monthlyMicro: bigint;
  readonly stops: boolean;
  readonly spentMicro: bigint;
  readonly forecastMicro: bigint;
  readonly state: BudgetState;
};

/** The columns of the API's answer and of the CSV. */
const columns: Readonly<Record<string, (row: BudgetFigures) => Cell>> = {
  of: ({ kind }) => kind,
  id: ({ subject }) => subject,
  name: ({ name }) => name,
  budget_credits: ({ monthlyMicro }) => creditsNumber(monthlyMicro),
  spent_credits: ({ spentMicro }) => creditsNumber(spentMicro),
  expected_credits: ({ forecastMicro }) => creditsNumber(forecastMicro),
  share: ({ spentMicro, monthlyMicro }) => shareOfBudget(spentMicro, monthlyMicro),
  state: ({ state }) => state,
  stops: ({ stops }) => (stops ? "yes" : "no"),
};

/** The rows as programs get them. */
export function budgetRecords(rows: readonly BudgetFigures[]): readonly Readonly<Record<string, Cell>>[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(columns).map(([name, cell]) => [name, cell(row)])),
  );
}

export function budgetCsv(rows: readonly BudgetFigures[]): string {
  return csvOf(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  );
}
