import type { EarnedDay } from "../contract/past-jobs.ts";
import { type EnergySum, mergeEnergy } from "../energy/energy-sum.ts";
import { type Cell, csvOf } from "../format/csv.ts";
import { microPerCredit } from "../money/credits.ts";
import { mergeModelTokens, type ModelTokens, withOthers } from "../statistics/model-tokens.ts";
import { bucketOf, spans } from "../statistics/spans.ts";
import { carbonGrams, kilowattHours, measuredShare, type UsageFacts } from "./comparison.ts";
import { monthOf } from "./months.ts";

export const periodKinds = ["day", "week", "month"] as const;
export type PeriodKind = (typeof periodKinds)[number];

/** The earnings of a day, a week or a month. Its times are those of UTC, and weeks begin on Monday. */
export type EarnedPeriod = Omit<EarnedDay, "startAt" | "micro" | "energy" | "models"> & {
  /** Null if the device told none. */
  readonly energy: EnergySum | null;
  /** Its tokens by model. The subject "" has those from before models were counted. */
  readonly models: readonly ModelTokens[];
  /** Its start, and the start of the next one; ms epoch. */
  readonly from: number;
  readonly to: number;
  /** Millionths of a credit. */
  readonly micro: bigint;
};

/** The number of periods that are shown, of which the last is not over. Days are kept for 13 months. */
const shown: Readonly<Record<PeriodKind, number>> = { day: 30, week: 26, month: 13 };

/** The periods up to now, oldest first, also those without earnings. */
export function earnedPeriods(days: readonly EarnedDay[], kind: PeriodKind, now: number): EarnedPeriod[] {
  const last = startOf(kind, now);
  return Array.from({ length: shown[kind] }, (_, place) => {
    const from = shifted(kind, last, place + 1 - shown[kind]);
    return sumBetween(days, from, shifted(kind, from, 1));
  });
}

/** The sum of all of them, which follow each other. */
export function earnedInPeriods(days: readonly EarnedDay[], periods: readonly EarnedPeriod[]): EarnedPeriod {
  return sumBetween(days, periods[0]?.from ?? 0, periods.at(-1)?.to ?? 0);
}

type EarnedSum = { readonly micro: bigint; readonly jobs: number };

/**
 * The earnings of the last days, of which the last is today. Days are counted once a minute, so today's may be behind.
 * @param live today's earnings, which are never behind
 */
export function earnedInDays(
  days: readonly EarnedDay[],
  count: number,
  now: number,
  live: EarnedSum,
): EarnedSum {
  const today = startOf("day", now);
  const tomorrow = today + spans.day;
  const before = sumBetween(days, tomorrow - count * spans.day, today);
  const counted = sumBetween(days, today, tomorrow);
  return {
    micro: before.micro + (counted.micro > live.micro ? counted.micro : live.micro),
    jobs: before.answered + Math.max(counted.answered, live.jobs),
  };
}

function sumBetween(days: readonly EarnedDay[], from: number, to: number): EarnedPeriod {
  const within = days.filter(({ startAt }) => startAt >= from && startAt < to);
  const sum = (of: (day: EarnedDay) => number): number => within.reduce((total, day) => total + of(day), 0);
  const tokens = {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
  };
  return {
    from,
    to,
    answered: sum(({ answered }) => answered),
    ...tokens,
    runMs: sum(({ runMs }) => runMs),
    energy: mergeEnergy(within.map(({ energy }) => energy)) ?? null,
    models: withOthers(tokens, mergeModelTokens(within.map(({ models = [] }) => models))),
    micro: within.reduce((total, { micro }) => total + BigInt(micro), 0n),
  };
}

function startOf(kind: PeriodKind, at: number): number {
  if (kind === "month") return monthOf(at);
  const day = bucketOf(at, spans.day);
  return kind === "day" ? day : day - daysAfterMonday(day) * spans.day;
}

function daysAfterMonday(day: number): number {
  return (new Date(day).getUTCDay() + 6) % 7;
}

function shifted(kind: PeriodKind, from: number, by: number): number {
  if (kind === "month") return monthOf(from, by);
  return from + by * (kind === "day" ? 1 : 7) * spans.day;
}

/** A statement as CSV: each period with earnings, with names in the style of the API. */
export function statementCsv(periods: readonly EarnedPeriod[], facts: UsageFacts): string {
  const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return csvOf(
    [
      "first_day",
      "last_day",
      "answered",
      "prompt_tokens",
      "completion_tokens",
      "device_seconds",
      "energy_kwh",
      "energy_measured_share",
      "co2_grams",
      "credits",
    ],
    periods
      .filter(hasJobs)
      .map((period): readonly Cell[] => [
        date(period.from),
        date(period.to - 1),
        period.answered,
        period.promptTokens,
        period.completionTokens,
        period.runMs / 1_000,
        kilowattHours(period, facts),
        measuredShare(period, facts),
        carbonGrams(period, facts),
        Number(period.micro) / Number(microPerCredit),
      ]),
  );
}

/** A device is paid for a part of a job, too, that another one answered. */
export function hasJobs({ answered, micro }: EarnedPeriod): boolean {
  return answered > 0 || micro !== 0n;
}
