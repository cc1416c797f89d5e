import { createHash } from "node:crypto";
import { assertNever } from "../../values/assert-never.ts";
import { inMonthDays, inWeekDays } from "./cron-days.ts";
import { parseCronExpression } from "./cron-expression.ts";
import { type CronFields, nextMatch } from "./cron-fields.ts";
import { type CronSchedule, type CronSpec, daysOfWeek } from "./cron-spec.ts";

/** The latest time that JSON can represent exactly. */
const never = Number.MAX_SAFE_INTEGER;

const everyHour = range(0, 23);
const everyMonth = range(1, 12);

/** First time of a new or changed job. Intervals start at once, the others at their next time. */
export function firstRun(spec: CronSpec, now: number): number {
  return spec.schedule.type === "interval" ? now : nextRun(spec, now, now);
}

/**
 * Next time of a job that was due at `previous`: the first of its times after `now`. So runs missed while the
 * machine slept are skipped. Returns `never` for a schedule that never matches.
 */
export function nextRun({ identifier, schedule }: CronSpec, previous: number, now: number): number {
  if (schedule.type === "interval") {
    const period = intervalMs(schedule);
    const elapsed = Math.max(0, now - previous);
    return previous + (Math.floor(elapsed / period) + 1) * period;
  }
  return nextMatch(fieldsOf(schedule, identifier), now) ?? never;
}

function fieldsOf(schedule: Exclude<CronSchedule, { type: "interval" }>, identifier: string): CronFields {
  if (schedule.type === "cron") return parseCronExpression(schedule.cron);
  const base = {
    minutes: new Set([schedule.minuteUTC ?? spreadMinute(identifier)]),
    hours: everyHour,
    daysOfMonth: null,
    months: everyMonth,
    daysOfWeek: null,
  };
  switch (schedule.type) {
    case "hourly":
      return base;
    case "daily":
      return { ...base, hours: new Set([schedule.hourUTC]) };
    case "weekly":
      return {
        ...base,
        hours: new Set([schedule.hourUTC]),
        daysOfWeek: inWeekDays(new Set([daysOfWeek.indexOf(schedule.dayOfWeek)])),
      };
    case "monthly":
      return {
        ...base,
        hours: new Set([schedule.hourUTC]),
        daysOfMonth: inMonthDays(new Set([schedule.day])),
      };
    default:
      return assertNever(schedule);
  }
}

function intervalMs({ seconds = 0, minutes = 0, hours = 0 }: Extract<CronSchedule, { type: "interval" }>) {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

// Picks a minute that differs between jobs but not between starts.
function spreadMinute(identifier: string): number {
  return createHash("sha256").update(identifier).digest().readUInt32BE() % 60;
}

function range(from: number, to: number): ReadonlySet<number> {
  return new Set(Array.from({ length: to - from + 1 }, (_, index) => from + index));
}
