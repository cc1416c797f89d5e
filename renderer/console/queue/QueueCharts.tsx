import { useQuery } from "convex/react";
import { type ReactNode, useMemo } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration, formatFull } from "../../../app/format/time.ts";
import { bucketOf, ranges, spans } from "../../../app/statistics/spans.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Chart, type Line } from "../../ui/Chart.tsx";
import { useNow } from "../../ui/clock.ts";
import { SelectBox } from "../../ui/controls/Select.tsx";
import type { StatisticsReport } from "../data/rows.ts";
import { useScope, useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { seriesOf } from "../statistics/points.ts";
import {
  type By,
  byWords,
  rangeOptions,
  type StatisticsRange,
  subjectWords,
} from "../statistics/subject-words.ts";

const kinds: readonly By[] = ["model", "lane", "key"];

/** Waits and throughput over time, of all jobs or of one model, lane or key. The choice is in the address. */
export function QueueCharts(): ReactNode {
  const session = useSession();
  const seesKeys = useScope("keys.read") !== null;
  const [chosenBy, setBy] = useFilter("by");
  const [subject, setSubject] = useFilter("of");
  const [chosenRange, setRange] = useFilter("range");
  const by = kinds.find((kind) => kind === chosenBy) ?? "model";
  const range = rangeOptions.find(({ value }) => value === chosenRange)?.value ?? "day";
  // Only each five minutes another one, so that the query stays the same.
  const until = bucketOf(useNow(), spans.short) + spans.short;
  const of = subject === "" ? {} : { subject };
  const report = useQuery(api.console.statistics.report, { session, by, range, until, ...of });
  return (
    <QueueChartsView
      report={report}
      kinds={seesKeys ? kinds : kinds.filter((kind) => kind !== "key")}
      by={by}
      subject={subject}
      range={range}
      until={until}
      onBy={(value) => {
        setSubject("");
        setBy(value);
      }}
      onSubject={setSubject}
      onRange={setRange}
    />
  );
}

type Props = {
  /** Undefined while it loads. */
  readonly report: StatisticsReport | undefined;
  readonly kinds: readonly By[];
  readonly by: By;
  /** "": all jobs. */
  readonly subject: string;
  readonly range: StatisticsRange;
  readonly until: number;
  readonly onBy: (by: string) => void;
  readonly onSubject: (subject: string) => void;
  readonly onRange: (range: string) => void;
};

export function QueueChartsView(props: Props): ReactNode {
  const { report, kinds: offered, by, subject, range, until } = props;
  const from = until - ranges[range].ms;
  const charts = useMemo(() => {
    if (report === undefined) return null;
    const { times, answered, failed, wait, waitHalf } = seriesOf(report, from, until);
    const waits: readonly Line[] = [
      { label: "Half waited up to", color: "rest", values: waitHalf },
      { label: "95 % waited up to", color: "hold", values: wait },
    ];
    const ended: readonly Line[] = [
      { label: "Answered", color: "accent", values: answered },
      { label: "Failed or expired", color: "bad", values: failed },
    ];
    return { times, waits, ended };
  }, [report, from, until]);
  const subjects = (report?.subjects ?? []).filter((each) => each.subject !== "");
  const known = subject === "" || subjects.some((each) => each.subject === subject);
  return (
    <section aria-label="Waits and throughput" className="grid gap-3">
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:max-w-2xl">
        <SelectBox
          aria-label="Charts by"
          value={by}
          options={offered.map((value) => ({ value, label: `By ${byWords[value].column.toLowerCase()}` }))}
          onChange={props.onBy}
        />
        <SelectBox
          aria-label={byWords[by].column}
          value={subject}
          options={[
            { value: "", label: "All jobs" },
            ...subjects.map((each) => ({ value: each.subject, label: subjectWords(by, each).name })),
            ...(known ? [] : [{ value: subject, label: subject }]),
          ]}
          onChange={props.onSubject}
        />
        <SelectBox aria-label="Time" value={range} options={rangeOptions} onChange={props.onRange} />
      </div>
      <div className="grid gap-4 xl:grid-cols-2">
        <Panel title="Wait until the start" chart={charts} lines={charts?.waits} format={formatDuration} />
        <Panel title="Jobs that ended" chart={charts} lines={charts?.ended} format={formatCount} />
      </div>
    </section>
  );
}

type PanelProps = {
  readonly title: string;
  readonly chart: { readonly times: readonly number[] } | null;
  readonly lines: readonly Line[] | undefined;
  readonly format: (value: number) => string;
};

/** A chart, and the same numbers as a table. */
function Panel({ title, chart, lines, format }: PanelProps): ReactNode {
  if (chart === null || lines === undefined) {
    return (
      <Card title={title}>
        <div className="min-h-66" />
      </Card>
    );
  }
  const { times } = chart;
  return (
    <Card title={title}>
      <Chart label={`${title}, over time`} times={times} lines={lines} format={format} />
      <details>
        <summary className="cursor-pointer text-xs text-muted">As a table</summary>
        <div
          className="mt-2 max-h-60 overflow-auto"
          tabIndex={0}
          role="group"
          aria-label={`${title}, as a table`}
        >
          <table className="w-full text-left text-xs">
            <thead>
              <tr className="text-muted">
                <th scope="col" className="py-1 font-medium">
                  Time
                </th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col" className="py-1 text-right font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((at, point) => (
                <tr key={at} className="border-t border-line">
                  <th scope="row" className="py-1 font-normal whitespace-nowrap">
                    {formatFull(at)}
                  </th>
                  {lines.map(({ label, values }) => {
                    const value = values[point] ?? null;
                    return (
                      <td key={label} className="py-1 text-right">
                        {value === null ? "–" : format(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Card>
  );
}
