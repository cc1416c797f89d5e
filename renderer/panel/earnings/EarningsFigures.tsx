import type { ReactNode } from "react";
import type { EarnedDay } from "../../../app/contract/past-jobs.ts";
import type { EarningsView } from "../../../app/contract/snapshot.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { earnedInDays } from "../../../app/usage/earned-periods.ts";
import { Card } from "../../ui/Card.tsx";
import { checksSentence } from "./checks-sentence.ts";

type Props = {
  readonly days: readonly EarnedDay[];
  readonly earnings: EarningsView | null;
  /** The start of today (UTC); ms epoch. */
  readonly today: number;
};

/** The sums of a day, a week, a month and of all time, each with its number of answers. */
export function EarningsFigures({ days, earnings, today }: Props): ReactNode {
  const live = { micro: BigInt(earnings?.todayMicro ?? 0), jobs: earnings?.todayJobs ?? 0 };
  const [week, month] = [7, 30].map((count) => earnedInDays(days, count, today, live));
  const sentence = earnings === null ? null : checksSentence(earnings);
  const figures = [
    { label: "Today", micro: earnings?.todayMicro, jobs: earnings?.todayJobs },
    { label: "Last 7 days", micro: week?.micro, jobs: week?.jobs },
    { label: "Last 30 days", micro: month?.micro, jobs: month?.jobs },
    { label: "All time", micro: earnings?.balanceMicro, jobs: earnings?.jobsSucceeded },
  ];
  return (
    <Card>
      <dl className="-my-1 grid grid-cols-2 gap-3 max-[20rem]:grid-cols-1 sm:grid-cols-4">
        {figures.map(({ label, micro, jobs }) => (
          <div key={label} className="min-w-0">
            <dt className="truncate text-xs text-muted">{label}</dt>
            <dd
              className="h-7 truncate text-lg leading-7 font-semibold"
              title={micro === undefined ? undefined : `${formatExactCredits(micro)} credits`}
            >
              {micro === undefined ? "–" : formatCredits(micro)}
            </dd>
            <dd className="truncate text-xs text-muted">
              {jobs === undefined ? "–" : plural(jobs, ["# job", "# jobs"])}
            </dd>
          </div>
        ))}
      </dl>
      {sentence === null ? null : <p className="mt-3 text-muted">{sentence}</p>}
    </Card>
  );
}
