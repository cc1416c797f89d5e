import {
  closestWeekday,
  type DayMatcher,
  inMonthDays,
  inWeekDays,
  lastDay,
  lastWeekday,
  nthWeekday,
} from "./cron-days.ts";
import type { CronFields } from "./cron-fields.ts";

/** The cron string is invalid. */
export class CronExpressionError extends Error {
  override readonly name = "CronExpressionError";

  constructor() {
    super("Failed to parse cron expression");
  }
}

type Field = {
  readonly min: number;
  readonly max: number;
  /** Names of the values, starting at `min`. */
  readonly names?: readonly string[];
};

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const minute: Field = { min: 0, max: 59 };
const hour: Field = { min: 0, max: 23 };
const dayBounds: Field = { min: 1, max: 31 };
const month: Field = { min: 1, max: 12, names: monthNames };
/** Weekdays, starting with Sunday. */
const weekdayBounds: Field = { min: 0, max: 6, names: weekdays };

const partPattern = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/i;
const lastDayPattern = /^L(?:-(\d+))?(W?)$/;
const maxLastDayOffset = 30;

/**
 * Reads a cron string of five fields, such as "15 7 * * MON-FRI". As in Convex, ranges may wrap around ("22-2"). Days
 * of the month may be "L", "L-3", "LW" or "15W". Days of the week may be "FRI#2", "5L" or "L", the week's last. Throws
 * CronExpressionError.
 */
export function parseCronExpression(text: string): CronFields {
  const [minutes, hours, daysOfMonth, months, daysOfWeek, ...more] = text.split(/[ \t]+/);
  if (daysOfWeek === undefined || more.length > 0) throw new CronExpressionError();
  return {
    minutes: parseField(minute, minutes as string),
    hours: parseField(hour, hours as string),
    daysOfMonth: parseDaysOfMonth(daysOfMonth as string),
    months: parseField(month, months as string),
    daysOfWeek: parseDaysOfWeek(daysOfWeek),
  };
}

function parseDaysOfMonth(text: string): DayMatcher | null {
  if (text === "*") return null;
  const [last, before, weekday] = lastDayPattern.exec(text) ?? [];
  if (last !== undefined) {
    const offset = before === undefined ? 0 : parseInRange(before, 1, maxLastDayOffset);
    return weekday === "W" ? closestWeekday((length) => length - offset) : lastDay(offset);
  }
  const [, closest] = /^(\d+)W$/.exec(text) ?? [];
  if (closest !== undefined) {
    const day = parseValue(dayBounds, closest);
    return closestWeekday(() => day);
  }
  return inMonthDays(parseField(dayBounds, text));
}

function parseDaysOfWeek(text: string): DayMatcher | null {
  if (text === "*") return null;
  if (text === "L") return inWeekDays(new Set([weekdayBounds.max]));
  const [, last] = /^(\w+)L$/.exec(text) ?? [];
  if (last !== undefined) return lastWeekday(parseValue(weekdayBounds, last));
  const [, weekday, nth] = /^(\w+)#(\d+)$/.exec(text) ?? [];
  if (weekday !== undefined)
    return nthWeekday(parseValue(weekdayBounds, weekday), parseInRange(nth ?? "", 1, 5));
  return inWeekDays(parseField(weekdayBounds, text));
}

function parseField(field: Field, text: string): ReadonlySet<number> {
  const size = field.max - field.min + 1;
  const all = (from: number, to: number, step: number): number[] => {
    // A range whose end precedes its start wraps around.
    const length = (to - from + size) % size;
    const steps = Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
    return steps.map((offset) => field.min + ((from - field.min + offset) % size));
  };
  if (text === "*") return new Set(all(field.min, field.max, 1));
  const values = text.split(",").flatMap((part) => {
    const [, first, last, stride] = partPattern.exec(part) ?? [];
    const isAny = first === "*";
    if (first === undefined || (isAny && (last !== undefined || stride === undefined))) {
      throw new CronExpressionError();
    }
    const step = stride === undefined ? 1 : parseInRange(stride, 1, field.max - field.min);
    const from = isAny ? field.min : parseValue(field, first);
    // "5/15" means: from 5, in steps of 15.
    const openEnd = stride === undefined ? from : field.max;
    return all(from, last === undefined ? openEnd : parseValue(field, last), step);
  });
  return new Set(values);
}

function parseValue({ min, max, names }: Field, text: string): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  return named >= 0 ? min + named : parseInRange(text, min, max);
}

function parseInRange(text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new CronExpressionError();
}
