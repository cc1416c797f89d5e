import type { DayMatcher } from "./cron-days.ts";

/** The UTC minutes at which a cron job runs. */
export type CronFields = {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Null matches any day. If both kinds of day are given, one match is enough. */
  readonly daysOfMonth: DayMatcher | null;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** Null matches any day. */
  readonly daysOfWeek: DayMatcher | null;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
// February 29 falls on a given weekday every 28 years, or 40 when a century year is not a leap year.
const horizonMs = 41 * 366 * dayMs;

/** Returns the first matching minute after a time, in ms since the epoch; null if none ever matches. */
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
