import type { ReactNode } from "react";
import { energyWords } from "../../../app/format/energy.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { kilowattHours, type UsageFacts } from "../../../app/usage/comparison.ts";
import { type EarnedPeriod, hasJobs, type PeriodKind } from "../../../app/usage/earned-periods.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { periodTitles, periodWords } from "./period-words.ts";

type Props = {
  readonly by: PeriodKind;
  readonly periods: readonly EarnedPeriod[];
  readonly facts: UsageFacts;
  readonly onJobs: (from: number, to: number) => void;
};

/** The chart's numbers, newest first. Times without jobs are left out. */
export function EarningsTable({ by, periods, facts, onJobs }: Props): ReactNode {
  return (
    <Table
      label="Earnings"
      columns={columnsOf(by, periods, facts, onJobs, columnCredits(periods.map(({ micro }) => micro)))}
      rows={periods.filter(hasJobs).reverse()}
      keyOf={({ from }) => String(from)}
      height="max-h-96"
      empty={
        <Empty title="No earnings in this time">
          Each day on which this computer earned credits appears here, a minute or two after its first job.
        </Empty>
      }
    />
  );
}

function periodEnergy(period: EarnedPeriod, facts: UsageFacts): string {
  const kwh = kilowattHours(period, facts);
  return kwh === null ? "–" : energyWords(kwh);
}

function columnsOf(
  by: PeriodKind,
  periods: readonly EarnedPeriod[],
  facts: UsageFacts,
  onJobs: Props["onJobs"],
  credits: (micro: bigint) => string,
): readonly Column<EarnedPeriod>[] {
  const number = (title: string, of: (period: EarnedPeriod) => ReactNode): Column<EarnedPeriod> => ({
    key: title,
    title,
    align: "right",
    cell: of,
  });
  return [
    {
      key: "period",
      title: periodTitles[by],
      cell: (period) => <span className="font-medium">{periodWords(by, period)}</span>,
    },
    number("Answers", ({ answered }) => formatCount(answered)),
    number("Tokens", ({ promptTokens, completionTokens }) => (
      <span className="whitespace-nowrap">
        {formatCount(promptTokens)} + {formatCount(completionTokens)}
      </span>
    )),
    ...(periods.some((period) => kilowattHours(period, facts) !== null)
      ? [
          number("Energy", (period) => (
            <span className="whitespace-nowrap">{periodEnergy(period, facts)}</span>
          )),
        ]
      : []),
    number("Earned", ({ micro }) => (
      <span className="font-medium" title={`${formatExactCredits(micro)} credits`}>
        {credits(micro)}
      </span>
    )),
    {
      key: "jobs",
      title: "Jobs",
      isTitleHidden: true,
      align: "right",
      cell: (period) => (
        <Button
          size="sm"
          data-row-menu
          aria-label={`Jobs: ${periodWords(by, period)}`}
          onClick={() => onJobs(period.from, period.to)}
        >
          Jobs
        </Button>
      ),
    },
  ];
}
