import { type ReactNode, useMemo } from "react";
import { formatCount, formatPercent, formatRate } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { ranges } from "../../../app/statistics/spans.ts";
import { Card } from "../../ui/Card.tsx";
import { ChartCard } from "../../ui/charts/ChartCard.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import type { StatisticsReport } from "../data/rows.ts";
import { Figures } from "../overview/Tiles.tsx";
import { seriesOf } from "./points.ts";
import { type By, byWords, rangeOptions, type StatisticsRange, totalsOf } from "./subject-words.ts";
import { SubjectsTable } from "./SubjectsTable.tsx";

type Props = {
  /** Undefined while it loads. */
  readonly report: StatisticsReport | undefined;
  readonly by: By;
  readonly range: StatisticsRange;
  /** The end of the time; ms epoch. */
  readonly until: number;
  readonly onBy: (by: By) => void;
  readonly onRange: (range: StatisticsRange) => void;
  /** The card about Prometheus. */
  readonly metrics: ReactNode;
};

const kinds: readonly By[] = ["model", "lane", "key", "device"];

export function StatisticsView({ report, by, range, until, onBy, onRange, metrics }: Props): ReactNode {
  return (
    <div className="grid gap-4">
      <div className="flex items-center justify-between gap-3">
        <p className="text-xs text-muted">Jobs that ended, counted once a minute.</p>
        <div className="w-40">
          <SelectBox
            aria-label="Time"
            value={range}
            options={rangeOptions}
            onChange={(value) => onRange(rangeOptions.find((each) => each.value === value)?.value ?? range)}
          />
        </div>
      </div>
      <Figures busy={report === undefined} figures={figuresOf(report)} />
      {report?.points.length === 0 ? null : (
        <Charts report={report} from={until - ranges[range].ms} until={until} />
      )}
      <Card flush>
        <div className="pt-1">
          <Tabs
            flush
            label="Statistics by"
            value={by}
            onChange={onBy}
            tabs={kinds.map((kind) => ({
              value: kind,
              label: byWords[kind].tab,
              content: <SubjectsTable by={kind} rows={report?.subjects} />,
            }))}
          />
        </div>
      </Card>
      {metrics}
    </div>
  );
}

/** Shows dashes while the figures load, so that nothing moves. */
function figuresOf(report: StatisticsReport | undefined) {
  const totals = report === undefined ? null : totalsOf(report);
  const count = (value: number | undefined): string => (value === undefined ? "–" : formatCount(value));
  const rate = totals?.successRate ?? null;
  return [
    { label: "Answered", value: count(totals?.answered), note: /* @wc-include */ "jobs", tone: null },
    {
      label: "Success",
      value: rate === null ? "–" : formatRate(rate),
      note: totals === null ? " " : `${formatCount(totals.failed)} failed or expired`,
      tone: null,
    },
    { label: "Canceled", value: count(totals?.canceled), note: "by requesters or admins", tone: null },
    {
      label: "Taken over",
      value: count(totals?.stolen),
      note: totals === null ? " " : `${formatCount(totals.returned)} attempts given up or lost`,
      tone: null,
    },
  ];
}

type ChartsProps = {
  readonly report: StatisticsReport | undefined;
  readonly from: number;
  readonly until: number;
};

function Charts({ report, from, until }: ChartsProps): ReactNode {
  const lines = useMemo(() => {
    if (report === undefined) return null;
    const { times, answered, failed, wait, run } = seriesOf(report, from, until);
    return {
      times,
      jobs: [
        { label: "Answered", color: "accent", values: answered },
        { label: "Failed or expired", color: "bad", values: failed },
      ],
      durations: [
        { label: `${formatPercent(95)} waited up to`, color: "hold", values: wait },
        { label: `${formatPercent(95)} ran up to`, color: "rest", values: run },
      ],
    } as const;
  }, [report, from, until]);
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <ChartCard title="Jobs" times={lines?.times} lines={lines?.jobs} format={formatCount} />
      <ChartCard
        title="Wait and run time"
        times={lines?.times}
        lines={lines?.durations}
        format={formatDuration}
      />
    </div>
  );
}
