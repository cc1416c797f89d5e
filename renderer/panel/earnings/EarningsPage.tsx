import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import type { CallAnswer } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { spans } from "../../../app/statistics/spans.ts";
import { noFacts } from "../../../app/usage/comparison.ts";
import {
  earnedInPeriods,
  type EarnedPeriod,
  earnedPeriods,
  hasJobs,
  type PeriodKind,
  periodKinds,
  statementCsv,
} from "../../../app/usage/earned-periods.ts";
import { Card } from "../../ui/Card.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { NoAnswer } from "../state/NoAnswer.tsx";
import { useAnswer } from "../state/use-answer.ts";
import { Comparison } from "./Comparison.tsx";
import { DayStart } from "./DayStart.tsx";
import { EarningsFigures } from "./EarningsFigures.tsx";
import { EarningsTable } from "./EarningsTable.tsx";
import { periodChoices, periodWords } from "./period-words.ts";
import { Standings } from "./Standings.tsx";

/** The window opens without the chart's library. */
const Chart = lazy(async () => ({ default: (await import("../../ui/charts/Chart.tsx")).Chart }));

type Props = {
  readonly snapshot: DonorSnapshot;
  /** Shows the jobs of a time among the history; ms epoch. */
  readonly onJobs: (from: number, to: number) => void;
};

/** This device's earnings: by day, week and month, and in all. */
export function EarningsPage({ snapshot, onJobs }: Props): ReactNode {
  const { earnings } = snapshot;
  // The days are counted once a minute. Until then the balance has changed.
  const minute = useFromNow((now) => Math.floor(now / 60_000));
  const answer = useAnswer("earnings", null, `${earnings?.balanceMicro ?? ""} ${String(minute)}`);
  if (answer.kind !== "answered")
    return <NoAnswer answer={answer} title="The earnings by day cannot be shown" />;
  return <Earned answer={answer.value} earnings={earnings} onJobs={onJobs} />;
}

const creditWords = (micro: number): string => formatCredits(BigInt(Math.round(micro)));

type EarnedProps = Pick<Props, "onJobs"> &
  Pick<DonorSnapshot, "earnings"> & { answer: CallAnswer<"earnings"> };

function Earned({ answer, earnings, onJobs }: EarnedProps): ReactNode {
  const { days, since, facts = noFacts, standings = [] } = answer;
  const [by, setBy] = useState<PeriodKind>("day");
  const today = useFromNow((now) => Math.floor(now / spans.day) * spans.day);
  const periods = useMemo(() => earnedPeriods(days, by, today), [days, by, today]);
  const chart = useMemo(() => chartOf(periods), [periods]);
  const shown = useMemo(() => earnedInPeriods(days, periods), [days, periods]);
  const formatTime = useMemo(() => {
    const byStart = new Map(periods.map((period) => [period.from, period]));
    return (at: number): string => {
      const period = byStart.get(at);
      return period === undefined ? "" : periodWords(by, period);
    };
  }, [periods, by]);
  const hasAny = periods.some(hasJobs);
  return (
    <div className="grid gap-3">
      <EarningsFigures days={days} earnings={earnings} today={today} />
      <Card
        title="Credits earned"
        aside={
          <div className="w-36">
            <SelectBox
              aria-label="Time"
              value={by}
              options={periodChoices}
              onChange={(next) => setBy(periodKinds.find((kind) => kind === next) ?? "day")}
            />
          </div>
        }
      >
        <Suspense fallback={<div data-suspended className="min-h-62" />}>
          <Chart
            label="Credits earned. The table below has the numbers."
            times={chart.times}
            lines={chart.lines}
            format={creditWords}
            formatTime={formatTime}
          />
        </Suspense>
        <Comparison facts={facts} models={shown.models} work={shown} />
      </Card>
      <Card
        flush
        title="Statement"
        aside={
          <Button
            size="sm"
            disabled={!hasAny}
            onClick={() => saveFile(`earnings-by-${by}.csv`, statementCsv(periods, facts))}
          >
            Download CSV
          </Button>
        }
      >
        <EarningsTable by={by} periods={periods} facts={facts} onJobs={onJobs} />
        <div className="grid gap-1 border-t border-line px-4 py-2 text-xs text-muted">
          <p>
            Credits are points. Your organization spends them on its jobs, and the computers that do the jobs
            earn them. You use, give or ask for a payout of yours in your organization’s console, on the page
            “My credits”.
          </p>
          <p>
            An amount is the sum of its jobs. A job pays for each token (a part of a word) that was read and
            written, at the price of its model. “Jobs” shows the calculation of each. The first number of
            tokens was read, the second one written.
          </p>
          <p>
            <DayStart /> Days are counted once a minute, and kept for 13 months.
            {since !== null && since > (periods[0]?.from ?? 0) ? (
              <> Jobs are counted by day since {periodWords("day", { from: since })}.</>
            ) : null}
          </p>
        </div>
      </Card>
      {standings.length === 0 ? null : <Standings standings={standings} />}
    </div>
  );
}

function chartOf(periods: readonly EarnedPeriod[]) {
  const values = periods.map(({ micro }) => Number(micro));
  return {
    times: periods.map(({ from }) => from),
    lines: [{ label: "Credits", color: "accent", values }],
  } as const;
}
