import type { ReactNode } from "react";
import { carbonWords, energyWords } from "../../../app/format/energy.ts";
import { formatCount, formatPercent, formatRate, moneyWords } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { carbonGrams, cloudCost, kilowattHours } from "../../../app/usage/comparison.ts";
import type { UsageBy, UsageRow } from "../../../app/usage/usage-table.ts";
import { Empty } from "../../ui/Empty.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { UsageFactsRow } from "../data/rows.ts";
import { groupingWords, rowName } from "./usage-words.ts";

type Props = {
  readonly of: "usage" | "earnings";
  readonly by: UsageBy;
  /** Undefined while they load. */
  readonly rows: readonly UsageRow[] | undefined;
  readonly facts: UsageFactsRow | undefined;
};

/** A usage table. Energy is shown once it is known, carbon and the price of a cloud once an administrator has entered numbers. */
export function UsageTable({ of, by, rows, facts }: Props): ReactNode {
  const { column } = groupingWords[by];
  // The newest day comes first.
  const ordered = by === "day" && rows !== undefined ? [...rows].reverse() : rows;
  return (
    <Table
      label={`${of === "usage" ? "Usage" : "Earnings"} by ${column}`}
      columns={[nameColumn(by), ...figures(of, by, rows ?? [], facts)]}
      rows={ordered}
      keyOf={({ subject }) => subject}
      height="sm:max-h-120"
      empty={
        <Empty title="No jobs ended in this time">Jobs are counted a minute or two after their end.</Empty>
      }
    />
  );
}

function wordsOr(value: number | null, words: (value: number) => string): string {
  return value === null ? "–" : words(value);
}

function nameColumn(by: UsageBy): Column<UsageRow> {
  return {
    key: "name",
    title: groupingWords[by].column,
    isNarrow: by === "day",
    cell: (row) => (
      <span className="line-clamp-2 max-w-64 min-w-24 font-medium wrap-anywhere" title={rowName(by, row)}>
        {rowName(by, row)}
      </span>
    ),
  };
}

function figures(
  of: Props["of"],
  by: UsageBy,
  rows: readonly UsageRow[],
  facts: UsageFactsRow | undefined,
): readonly Column<UsageRow>[] {
  const figure = (title: string, cell: (row: UsageRow) => ReactNode): Column<UsageRow> => ({
    key: title,
    title,
    align: "right",
    cell: (row) => <span className="whitespace-nowrap">{cell(row)}</span>,
  });
  // Cards of 30 days would be a long way to scroll on a phone.
  const main = (...figured: Parameters<typeof figure>): Column<UsageRow> => ({
    ...figure(...figured),
    isNarrow: by === "day",
  });
  const time = (ms: number | null): string => (ms === null ? "–" : formatDuration(ms));
  const isUsage = of === "usage";
  const credits = columnCredits(rows.map(({ micro }) => micro));
  const prices = new Map(facts?.cloudPrices.map((price) => [price.modelId, price]));
  return [
    main(isUsage ? "Jobs" : "Answers", ({ jobs, succeeded }) => formatCount(isUsage ? jobs : succeeded)),
    ...(isUsage
      ? [figure("Success", ({ successRate }) => (successRate === null ? "–" : formatRate(successRate)))]
      : []),
    figure("Prompt tokens", ({ promptTokens }) => formatCount(promptTokens)),
    figure("Answer tokens", ({ completionTokens }) => formatCount(completionTokens)),
    figure("Device time", ({ runMs }) => formatDuration(runMs)),
    ...(isUsage
      ? [
          figure("Wait, median", ({ waitP50 }) => time(waitP50)),
          figure(`Wait, ${formatPercent(95)}`, ({ waitP95 }) => time(waitP95)),
        ]
      : []),
    main(isUsage ? "Spent" : "Earned", ({ micro }) => (
      <span title={`${formatExactCredits(micro)} credits`}>{credits(micro)}</span>
    )),
    ...(isUsage && by === "model" && prices.size > 0
      ? [
          figure("Price in a cloud", (row) => {
            const price = prices.get(row.subject);
            return price === undefined ? "–" : moneyWords(cloudCost(row, price), facts?.currency ?? "");
          }),
        ]
      : []),
    ...(facts === undefined || rows.every((row) => kilowattHours(row, facts) === null)
      ? []
      : [figure("Energy", (row) => wordsOr(kilowattHours(row, facts), energyWords))]),
    ...(facts === undefined || rows.every((row) => carbonGrams(row, facts) === null)
      ? []
      : [figure("CO₂", (row) => wordsOr(carbonGrams(row, facts), carbonWords))]),
  ];
}
