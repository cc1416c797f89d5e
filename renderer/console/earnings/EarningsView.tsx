import { type ReactNode, useMemo } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { usageCsv, type UsageDays } from "../../../app/usage/usage-table.ts";
import { Card } from "../../ui/Card.tsx";
import { ChartCard } from "../../ui/charts/ChartCard.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import type { EarningsReport } from "../data/rows.ts";
import { Figures } from "../overview/Tiles.tsx";
import { ComparisonCard } from "../usage/ComparisonCard.tsx";
import { DownloadCsv } from "../usage/DownloadCsv.tsx";
import { dayOptions, dayWords, groupingWords, seriesOfDays, sumOf } from "../usage/usage-words.ts";
import { UsageTable } from "../usage/UsageTable.tsx";

type By = "day" | "device" | "group";

type Props = {
  /** Whether these are the member's own devices. */
  readonly own: boolean;
  readonly by: By;
  readonly days: UsageDays;
  /** ms epoch. */
  readonly until: number;
  /** Undefined while they load. */
  readonly report: EarningsReport | undefined;
  readonly onBy: (by: string) => void;
  readonly onDays: (days: string) => void;
  /** Further cards at the end. */
  readonly children?: ReactNode;
};

const groupings: readonly By[] = ["day", "device", "group"];
const creditWords = (micro: number): string => formatCredits(BigInt(Math.round(micro)));

export function EarningsView(props: Props): ReactNode {
  const { own, by, days, until, report, onBy, onDays, children } = props;
  const table = <UsageTable of="earnings" by={by} rows={report?.rows} facts={report?.facts} />;
  const since = report?.since ?? null;
  const chart = useMemo(() => {
    if (report === undefined) return null;
    const { times, values } = seriesOfDays(report.days, days, until, ({ micro }) => Number(micro));
    return { times, lines: [{ label: "Credits", color: "accent", values }] } as const;
  }, [report, days, until]);
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted">
          The pay of {own ? "your devices" : "the devices"} for their jobs, by day (UTC). Counted once a
          minute.
        </p>
        <div className="w-36">
          <SelectBox aria-label="Time" value={String(days)} options={dayOptions} onChange={onDays} />
        </div>
      </div>
      <Figures busy={report === undefined} figures={figuresOf(report)} />
      {report?.days.length === 0 ? null : (
        <ChartCard
          title="Credits earned"
          times={chart?.times}
          lines={chart?.lines}
          format={creditWords}
          formatTime={dayWords}
        />
      )}
      <Card
        flush
        title="Earnings"
        aside={
          <DownloadCsv
            name={`earnings-by-${by}-${String(days)}-days.csv`}
            csv={report === undefined ? undefined : () => usageCsv(by, report.rows, report.facts)}
          />
        }
      >
        <Tabs
          flush
          label="Earnings by"
          value={by}
          onChange={onBy}
          tabs={groupings.map((value) => ({ value, label: groupingWords[value].tab, content: table }))}
        />
        {since !== null && since > until - days * 86_400_000 && (own || by === "group") ? (
          <p className="border-t border-line px-4 py-2 text-xs text-muted">
            Counted since {dayWords(since)}.
          </p>
        ) : null}
      </Card>
      {own ? (
        <ComparisonCard
          facts={report?.facts}
          models={report?.models ?? undefined}
          work={report === undefined ? undefined : sumOf(report.days)}
          onSave={null}
        />
      ) : null}
      {children}
    </div>
  );
}

/** Shows dashes while the figures load, so that nothing moves. */
function figuresOf(report: EarningsReport | undefined) {
  const sum = report === undefined ? null : sumOf(report.days);
  const text = (value: (total: NonNullable<typeof sum>) => string): string =>
    sum === null ? "–" : value(sum);
  return [
    { label: "Earned", value: text(({ micro }) => formatCredits(micro)), note: "in this time", tone: null },
    {
      label: "Answers",
      value: text(({ succeeded }) => formatCount(succeeded)),
      note: /* @wc-include */ "finished",
      tone: null,
    },
    {
      label: "Tokens",
      value: text(({ promptTokens, completionTokens }) => formatCount(promptTokens + completionTokens)),
      note: "read and written",
      tone: null,
    },
    {
      label: "Device time",
      value: text(({ runMs }) => formatDuration(runMs)),
      note: "work on answers",
      tone: null,
    },
  ];
}
