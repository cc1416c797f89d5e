import { bucketOf, spans } from "../statistics/spans.ts";
import { type DaySum, monthOf } from "./months.ts";

const { day: dayMs } = spans;
const windowDays = 28;

type Spent = Pick<DaySum, "startAt" | "micro">;

export type Forecast = {
  /** Of this month, until now; millionths of a credit. */
  spentMicro: bigint;
  /** The expected cost of the whole month. */
  forecastMicro: bigint;
  /** The whole days before today that the forecast is made from. */
  days: number;
};

/**
 * Forecasts the cost of a month. The past four weeks tell the mean of each weekday; days before the first use do not count. Each day
 * that is left costs that mean, and today costs it if it is more than today has cost already. With less than two weeks,
 * all weekdays are one. Days and months are those of UTC.
 */
export function forecastOf(days: readonly Spent[], now: number): Forecast {
  const [today, monthStart, monthEnd] = [bucketOf(now, dayMs), monthOf(now), monthOf(now, 1)];
  const costs = new Map(days.map(({ startAt, micro }) => [startAt, micro]));
  const spentMicro = sumBetween(days, monthStart, monthEnd);
  const first = days.reduce((least, { startAt }) => Math.min(least, startAt), today);
  const from = Math.max(first, today - windowDays * dayMs);
  const known = (today - from) / dayMs;
  const meanOf = (of: (at: number) => boolean): bigint => {
    const like = daysBetween(from, today).filter(of);
    if (like.length === 0) return 0n;
    return like.reduce((sum, at) => sum + (costs.get(at) ?? 0n), 0n) / BigInt(like.length);
  };
  const expected = (at: number): bigint => meanOf((past) => known < 14 || weekday(past) === weekday(at));
  const todayMicro = costs.get(today) ?? 0n;
  const rest = daysBetween(today + dayMs, monthEnd).reduce((sum, at) => sum + expected(at), 0n);
  const restOfToday = expected(today) > todayMicro ? expected(today) - todayMicro : 0n;
  return { spentMicro, forecastMicro: spentMicro + restOfToday + rest, days: known };
}

function sumBetween(days: readonly Spent[], from: number, to: number): bigint {
  return days.reduce((sum, { startAt, micro }) => (startAt >= from && startAt < to ? sum + micro : sum), 0n);
}

function daysBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, (to - from) / dayMs) }, (_, at) => from + at * dayMs);
}

function weekday(at: number): number {
  return new Date(at).getUTCDay();
}
