import { useQuery } from "convex/react";
import { type ReactNode, useMemo } from "react";
import { formatCount, formatPercent } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { bucketOf, ranges, spans } from "../../../app/statistics/spans.ts";
import { otherSubject } from "../../../app/statistics/tally.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Line } from "../../ui/charts/Chart.tsx";
import { ChartCard } from "../../ui/charts/ChartCard.tsx";
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
import { DepthChart } from "./DepthChart.tsx";

type Kind = Exclude<By, "device">;
const kinds: readonly Kind[] = ["model", "lane", "key"];
/** The value, in the address, of all models, lanes or keys that are not told apart. */
const others = "others";

/** Waits, throughput and depth over time, of all jobs or of one model, lane or key. The choice is in the address. */
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
  const chosen = subject === "" ? undefined : subject === others ? otherSubject : subject;
  const of = chosen === undefined ? {} : { subject: chosen };
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
      depth={<DepthChart by={by} subject={chosen} range={range} until={until} />}
    />
  );
}

type Props = {
  /** Undefined while it loads. */
  readonly report: StatisticsReport | undefined;
  readonly kinds: readonly Kind[];
  readonly by: Kind;
  /** "": all jobs. "others": all that are not told apart. */
  readonly subject: string;
  readonly range: StatisticsRange;
  readonly until: number;
  readonly onBy: (by: string) => void;
  readonly onSubject: (subject: string) => void;
  readonly onRange: (range: string) => void;
  /** The depth of the queue over the same time. */
  readonly depth: ReactNode;
};

export function QueueChartsView(props: Props): ReactNode {
  const { report, kinds: offered, by, subject, range, until, depth } = props;
  const from = until - ranges[range].ms;
  const charts = useMemo(() => {
    if (report === undefined) return null;
    const { times, answered, failed, wait, waitHalf } = seriesOf(report, from, until);
    const waits: readonly Line[] = [
      { label: "Half waited up to", color: "rest", values: waitHalf },
      { label: `${formatPercent(95)} waited up to`, color: "hold", values: wait },
    ];
    const ended: readonly Line[] = [
      { label: "Answered", color: "accent", values: answered },
      { label: "Failed or expired", color: "bad", values: failed },
    ];
    return { times, waits, ended };
  }, [report, from, until]);
  const subjects = (report?.subjects ?? []).filter((each) => each.subject !== "");
  const known = subject === "" || subject === others || subjects.some((each) => each.subject === subject);
  return (
    <section aria-label="Waits and throughput" className="grid gap-3">
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:max-w-2xl">
        <SelectBox
          aria-label="Charts by"
          value={by}
          options={offered.map((value) => ({ value, label: byWords[value].by }))}
          onChange={props.onBy}
        />
        <SelectBox
          aria-label={byWords[by].column}
          value={subject}
          options={[
            { value: "", label: "All jobs" },
            ...subjects.map((each) => ({ value: each.subject, label: subjectWords(by, each).name })),
            { value: others, label: "All others" },
            ...(known ? [] : [{ value: subject, label: subject }]),
          ]}
          onChange={props.onSubject}
        />
        <SelectBox aria-label="Time" value={range} options={rangeOptions} onChange={props.onRange} />
      </div>
      <div className="grid gap-4 xl:grid-cols-2">
        <ChartCard
          title="Wait until the start"
          times={charts?.times}
          lines={charts?.waits}
          format={formatDuration}
        />
        <ChartCard title="Jobs that ended" times={charts?.times} lines={charts?.ended} format={formatCount} />
        {depth}
      </div>
    </section>
  );
}
