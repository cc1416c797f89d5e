import type { ReactNode } from "react";
import { formatCount, formatPercent, formatRate } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { columnCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { StatisticsSubject } from "../data/rows.ts";
import { type By, byWords, subjectWords } from "./subject-words.ts";

type Props = { readonly by: By; readonly rows: readonly StatisticsSubject[] | undefined };

export function SubjectsTable({ by, rows }: Props): ReactNode {
  return (
    <Table
      label={`Statistics by ${byWords[by].column}`}
      columns={[nameColumn(by), ...figures(by, rows ?? [])]}
      rows={rows}
      keyOf={({ subject }) => subject}
      empty={
        <Empty title="No jobs ended in this time">Jobs are counted once a minute after their end.</Empty>
      }
    />
  );
}

function nameColumn(by: By): Column<StatisticsSubject> {
  return {
    key: "name",
    title: byWords[by].column,
    cell: (row) => {
      const { name, needs } = subjectWords(by, row);
      return (
        <div className="flex max-w-56 min-w-24 flex-wrap items-center gap-1.5 2xl:max-w-96">
          <span className="line-clamp-3 font-medium wrap-anywhere" title={name}>
            {name}
          </span>
          {needs.map((need) => (
            <Badge key={need} tone="quiet">
              {need}
            </Badge>
          ))}
        </div>
      );
    },
  };
}

type Summary = StatisticsSubject["summary"];

function figures(by: By, rows: readonly StatisticsSubject[]): readonly Column<StatisticsSubject>[] {
  const credits = columnCredits(rows.map(({ summary }) => summary.micro));
  const figure = (title: string, of: (summary: Summary) => string): Column<StatisticsSubject> => ({
    key: title,
    title,
    align: "right",
    width: "2xl:w-24",
    cell: ({ summary }) => <span className="whitespace-nowrap">{of(summary)}</span>,
  });
  const time = (of: "wait" | "run", at: "p50" | "p95") => (summary: Summary) => {
    const spread = summary[of];
    return spread === null ? "–" : formatDuration(spread[at]);
  };
  return [
    figure("Answered", ({ succeeded }) => formatCount(succeeded)),
    figure("Success", ({ successRate }) => (successRate === null ? "–" : formatRate(successRate))),
    figure("Wait, median", time("wait", "p50")),
    figure(`Wait, ${formatPercent(95)}`, time("wait", "p95")),
    figure("Run, median", time("run", "p50")),
    figure(`Run, ${formatPercent(95)}`, time("run", "p95")),
    figure(by === "device" ? "Failed" : "Retried", ({ failed, retried }) =>
      formatCount(by === "device" ? failed : retried),
    ),
    figure("Returned", ({ returned }) => formatCount(returned)),
    figure("Lost", ({ lost }) => formatCount(lost)),
    figure("Taken over", ({ stolen }) => formatCount(stolen)),
    figure("Tokens", ({ promptTokens, completionTokens }) => formatCount(promptTokens + completionTokens)),
    figure("Credits", ({ micro }) => credits(micro)),
  ];
}
