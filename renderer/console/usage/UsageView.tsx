import { type ReactNode, useMemo } from "react";
import { locale } from "../../../app/format/locale.ts";
import { formatCount, formatRate, moneyWords } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { cloudTotal } from "../../../app/usage/comparison.ts";
import { type UsageBy, usageCsv, type UsageDays, type UsageRow } from "../../../app/usage/usage-table.ts";
import { Card } from "../../ui/Card.tsx";
import { ChartCard } from "../../ui/charts/ChartCard.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import type { BudgetRow, UsageFactsRow, UsageMonth, UsageReport } from "../data/rows.ts";
import { BudgetWarnings } from "../overview/BudgetWarnings.tsx";
import { Figures } from "../overview/Tiles.tsx";
import { type BudgetChanges, BudgetsCard } from "./BudgetsCard.tsx";
import { ComparisonCard } from "./ComparisonCard.tsx";
import { DownloadCsv } from "./DownloadCsv.tsx";
import { dayOptions, dayWords, groupingWords, seriesOfDays, sumOf } from "./usage-words.ts";
import { UsageTable } from "./UsageTable.tsx";

type UsageChanges = BudgetChanges & {
  /** Resolves to whether it was saved. */
  readonly facts: (facts: UsageFactsRow) => Promise<boolean>;
};

type Props = {
  readonly scope: "all" | "own";
  /** The teams whose usage can be shown beside one's own. */
  readonly teams: readonly { readonly id: string; readonly name: string }[];
  readonly team: string;
  readonly by: UsageBy;
  readonly groupings: readonly UsageBy[];
  readonly days: UsageDays;
  /** ms epoch. */
  readonly until: number;
  /** These are undefined while they load. */
  readonly report: UsageReport | undefined;
  readonly models: readonly UsageRow[] | undefined;
  readonly month: UsageMonth | undefined;
  readonly facts: UsageFactsRow | undefined;
  readonly budgets: readonly BudgetRow[] | undefined;
  readonly apiBase: string;
  readonly onBy: (by: string) => void;
  readonly onDays: (days: string) => void;
  readonly onTeam: (teamId: string) => void;
  /** Null for those who may change no money. */
  readonly changes: UsageChanges | null;
};

export function UsageView(props: Props): ReactNode {
  const { scope, teams, team, by, groupings, days, report, models, month, facts, budgets, changes } = props;
  const table = <UsageTable of="usage" by={by} rows={report?.rows} facts={facts} />;
  const since = report?.since ?? null;
  const byOwner = by === "team" || by === "member" || scope === "own";
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted">Jobs that ended, by days of UTC. Counted once a minute.</p>
        <div className="flex gap-2">
          {teams.length === 0 ? null : (
            <div className="w-40">
              <SelectBox
                aria-label="Usage of"
                value={team}
                options={[
                  { value: "", label: "My own keys" },
                  ...teams.map(({ id, name }) => ({ value: id, label: name })),
                ]}
                onChange={props.onTeam}
              />
            </div>
          )}
          <div className="w-36">
            <SelectBox aria-label="Time" value={String(days)} options={dayOptions} onChange={props.onDays} />
          </div>
        </div>
      </div>
      <BudgetWarnings budgets={budgets} />
      <Figures
        busy={report === undefined || month === undefined}
        figures={figuresOf(report, models, month, facts)}
      />
      {report?.days.length === 0 ? null : <UsageCharts rows={report?.days} days={days} until={props.until} />}
      <Card
        flush
        title="Usage"
        aside={
          <DownloadCsv
            name={`usage-by-${by}-${String(days)}-days.csv`}
            csv={
              report === undefined || facts === undefined ? undefined : () => usageCsv(by, report.rows, facts)
            }
          />
        }
      >
        <Tabs
          flush
          label="Usage by"
          value={by}
          onChange={props.onBy}
          tabs={groupings.map((value) => ({ value, label: groupingWords[value].tab, content: table }))}
        />
        {byOwner && since !== null && since > props.until - days * 86_400_000 ? (
          <p className="border-t border-line px-4 py-2 text-xs text-muted">
            Keys are counted for their owners since {dayWords(since)}. Earlier jobs are not shown by owner.
          </p>
        ) : null}
      </Card>
      <BudgetsCard budgets={budgets} own={scope === "own"} changes={changes} />
      <ComparisonCard
        facts={facts}
        models={models}
        work={report === undefined ? undefined : sumOf(report.days)}
        onSave={changes?.facts ?? null}
      />
      <Card title="Use these tables in programs">
        <p className="text-muted">
          <code className="font-mono text-xs wrap-anywhere">
            GET {props.apiBase}/v1/usage?by=day&amp;days=30&amp;format=csv
          </code>{" "}
          {scope === "all"
            ? "gives each table to the holder of the token for metrics (page Statistics), and to an API key its own days."
            : "gives an API key its own days."}
        </p>
      </Card>
    </div>
  );
}

const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });

/** Shows dashes while the figures load, so that nothing moves. */
function figuresOf(
  report: UsageReport | undefined,
  models: readonly UsageRow[] | undefined,
  month: UsageMonth | undefined,
  facts: UsageFactsRow | undefined,
) {
  const sum = report === undefined ? null : sumOf(report.days);
  const judged = report?.days.filter(({ successRate }) => successRate !== null) ?? [];
  // The jobs that count are as many as the answered ones divided by the share of them.
  const counted = judged.reduce((total, row) => total + judgedJobs(row), 0);
  const answered = judged.reduce((total, { succeeded }) => total + succeeded, 0);
  const cloud = models === undefined || facts === undefined ? null : cloudTotal(models, facts.cloudPrices);
  return [
    {
      label: "Spent",
      value: sum === null ? "–" : formatCredits(sum.micro),
      note: "in this time",
      tone: null,
    },
    {
      label: "Tokens",
      value: sum === null ? "–" : formatCount(sum.promptTokens + sum.completionTokens),
      note: sum === null ? " " : `${compact.format(sum.completionTokens)} in answers`,
      tone: null,
    },
    {
      label: "Jobs",
      value: sum === null ? "–" : formatCount(sum.jobs),
      note: counted === 0 ? " " : `${formatRate(answered / counted)} success`,
      tone: null,
    },
    {
      label: "Device time",
      value: sum === null ? "–" : formatDuration(sum.runMs),
      note: "work on answers",
      tone: null,
    },
    {
      label: "This month",
      value: month === undefined ? "–" : formatCredits(month.spentMicro),
      note: month === undefined ? " " : `${formatCredits(month.forecastMicro)} expected`,
      tone: null,
    },
    {
      label: "Price in a cloud",
      value: cloud?.cost == null ? "–" : moneyWords(cloud.cost, facts?.currency ?? ""),
      note:
        cloud?.cost == null
          ? "no price entered"
          : cloud.unpricedTokens === 0
            ? "for the same tokens"
            : "without some models",
      tone: null,
    },
  ];
}

function judgedJobs({ succeeded, successRate, jobs }: UsageRow): number {
  return successRate === null ? 0 : successRate === 0 ? jobs : Math.round(succeeded / successRate);
}

/** A constant, so that the chart is not drawn anew. */
const creditWords = (micro: number): string => formatCredits(BigInt(Math.round(micro)));

type ChartsProps = {
  readonly rows: readonly UsageRow[] | undefined;
  readonly days: UsageDays;
  readonly until: number;
};

function UsageCharts({ rows, days, until }: ChartsProps): ReactNode {
  const charts = useMemo(() => {
    if (rows === undefined) return null;
    const of = (value: (row: UsageRow) => number) => seriesOfDays(rows, days, until, value);
    const spent = of(({ micro }) => Number(micro));
    const prompt = of(({ promptTokens }) => promptTokens);
    const completion = of(({ completionTokens }) => completionTokens);
    return {
      times: spent.times,
      spent: [{ label: "Credits", color: "accent", values: spent.values }],
      tokens: [
        { label: "Prompts", color: "rest", values: prompt.values },
        { label: "Answers", color: "accent", values: completion.values },
      ],
    } as const;
  }, [rows, days, until]);
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <ChartCard
        title="Credits spent"
        times={charts?.times}
        lines={charts?.spent}
        format={creditWords}
        formatTime={dayWords}
      />
      <ChartCard
        title="Tokens"
        times={charts?.times}
        lines={charts?.tokens}
        format={formatCount}
        formatTime={dayWords}
      />
    </div>
  );
}
