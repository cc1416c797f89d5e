import type { DayMatcher } from "./cron-days.ts";

/** The minutes at which something happens, in UTC. */
export type CronFields = {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Null: any. Where both kinds of day are given, either may match. */
  readonly daysOfMonth: DayMatcher | null;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** Null: any. */
  readonly daysOfWeek: DayMatcher | null;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
// The 29th of February on a given weekday comes once in 28 years, or 40 where a century is no leap year.
const horizonMs = 41 * 366 * dayMs;

/** The first matching minute after a time, in ms since the epoch; null when no minute ever matches. */
export function nextMatch(fields: CronFields, after: number): number | null {
  const horizon = after + horizonMs;
  let time = (Math.floor(after / minuteMs) + 1) * minuteMs;
  while (time < horizon) {
    const date = new Date(time);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      time = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    } else if (!matchesDay(fields, date)) {
      time = (Math.floor(time / dayMs) + 1) * dayMs;
    } else if (!fields.hours.has(date.getUTCHours())) {
      time = (Math.floor(time / hourMs) + 1) * hourMs;
    } else if (!fields.minutes.has(date.getUTCMinutes())) {
      time += minuteMs;
    } else {
      return time;
    }
  }
  return null;
}

function matchesDay({ daysOfMonth, daysOfWeek }: CronFields, date: Date): boolean {
  const inMonth = daysOfMonth?.(date);
  const inWeek = daysOfWeek?.(date);
  if (inMonth === undefined) return inWeek ?? true;
  return inMonth || inWeek === true;
}
