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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
// The 29th of February on a given weekday comes once in 28 years, or 40 where a century is no leap year.
const HORIZON_MS = 41 * 366 * DAY_MS;

/** The first matching minute after a time, in ms since the epoch; null when no minute ever matches. */
export function nextMatch(fields: CronFields, after: number): number | null {
  const horizon = after + HORIZON_MS;
  let time = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
  while (time < horizon) {
    const date = new Date(time);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      time = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    } else if (!matchesDay(fields, date)) {
      time = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
    } else if (!fields.hours.has(date.getUTCHours())) {
      time = (Math.floor(time / HOUR_MS) + 1) * HOUR_MS;
    } else if (!fields.minutes.has(date.getUTCMinutes())) {
      time += MINUTE_MS;
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
