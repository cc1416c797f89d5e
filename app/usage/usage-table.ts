import { type Cell, csvOf } from "../format/csv.ts";
import { microPerCredit } from "../money/credits.ts";
import { carbonGrams, cloudCost, kilowattHours, measuredShare, type UsageFacts } from "./comparison.ts";
import type { UsageFigures } from "./figures.ts";

export const usageGroupings = ["day", "model", "key", "team", "member", "device", "group"] as const;
export type UsageBy = (typeof usageGroupings)[number];

/** The times that usage is shown for; days. */
export const usageDays = [7, 30, 90] as const;
export type UsageDays = (typeof usageDays)[number];

/** A row of a usage table. */
export type UsageRow = UsageFigures & {
  /** A day as "2027-01-15", a model's name, or the id of a key, a member, a team or a device; "" for all others. */
  readonly subject: string;
  /** Null if nothing has this id anymore. */
  readonly name: string | null;
};

const columns = (by: UsageBy, facts: UsageFacts) => ({
  [by]: ({ subject }: UsageRow): Cell => subject,
  ...(by === "day" || by === "model" ? {} : { name: ({ name }: UsageRow): Cell => name }),
  jobs: (row: UsageRow): Cell => row.jobs,
  answered: (row: UsageRow): Cell => row.succeeded,
  success_rate: (row: UsageRow): Cell => row.successRate,
  prompt_tokens: (row: UsageRow): Cell => row.promptTokens,
  completion_tokens: (row: UsageRow): Cell => row.completionTokens,
  device_seconds: (row: UsageRow): Cell => row.runMs / 1_000,
  wait_p50_seconds: (row: UsageRow): Cell => (row.waitP50 === null ? null : row.waitP50 / 1_000),
  wait_p95_seconds: (row: UsageRow): Cell => (row.waitP95 === null ? null : row.waitP95 / 1_000),
  credits: (row: UsageRow): Cell => Number(row.micro) / Number(microPerCredit),
  ...(by === "model" ? { cloud_cost: (row: UsageRow): Cell => costOf(row, facts) } : {}),
  energy_kwh: (row: UsageRow): Cell => kilowattHours(row, facts),
  energy_measured_share: (row: UsageRow): Cell => measuredShare(row, facts),
  co2_grams: (row: UsageRow): Cell => carbonGrams(row, facts),
});

function costOf(row: UsageRow, { cloudPrices }: UsageFacts): number | null {
  const price = cloudPrices.find(({ modelId }) => modelId === row.subject);
  return price === undefined ? null : cloudCost(row, price);
}

/** The rows as programs read them, with names in the style of the API. */
export function usageRecords(
  by: UsageBy,
  rows: readonly UsageRow[],
  facts: UsageFacts,
): Record<string, Cell>[] {
  const cells = Object.entries<(row: UsageRow) => Cell>(columns(by, facts));
  return rows.map((row) => Object.fromEntries(cells.map(([name, of]) => [name, of(row)])));
}

/** The same as CSV. */
export function usageCsv(by: UsageBy, rows: readonly UsageRow[], facts: UsageFacts): string {
  const cells = Object.entries<(row: UsageRow) => Cell>(columns(by, facts));
  return csvOf(
    cells.map(([name]) => name),
    rows.map((row) => cells.map(([, of]) => of(row))),
  );
}
