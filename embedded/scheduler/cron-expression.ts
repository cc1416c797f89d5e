import type { CronFields } from "./cron-fields.ts";
import { DAYS_OF_WEEK } from "./cron-spec.ts";

/** A cron string cannot be read. */
export class CronExpressionError extends Error {
  override readonly name = "CronExpressionError";
}

type Field = {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for the values from `min` on. */
  readonly names?: readonly string[];
};

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: MONTHS },
  { name: "day of the week", min: 0, max: 7, names: DAYS_OF_WEEK.map((day) => day.slice(0, 3)) },
];
const PART = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/;
const SUNDAY_AGAIN = 7;

/** Reads a cron string of five fields, such as "15 7 * * mon-fri". Throws CronExpressionError. */
export function parseCronExpression(text: string): CronFields {
  const parts = text.trim().toLowerCase().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw new CronExpressionError(`A cron string has five fields; "${text}" has ${parts.length}.`);
  }
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = FIELDS.map((field, index) =>
    parseField(field, parts[index] as string),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  if (daysOfWeek.delete(SUNDAY_AGAIN)) daysOfWeek.add(0);
  return {
    minutes,
    hours,
    daysOfMonth: isAny(parts[2]) ? null : daysOfMonth,
    months,
    daysOfWeek: isAny(parts[4]) ? null : daysOfWeek,
  };
}

function parseField(field: Field, text: string): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last, step] = PART.exec(part) ?? [];
    if (first === undefined || (first === "*" && last !== undefined)) throw unreadable(field, text);
    const from = first === "*" ? field.min : parseValue(field, first);
    // "5/15" means from 5 on, in steps of 15.
    const openEnd = first === "*" || step !== undefined ? field.max : from;
    const to = last === undefined ? openEnd : parseValue(field, last);
    const stride = Number(step ?? 1);
    if (from > to || stride < 1) throw unreadable(field, text);
    for (let value = from; value <= to; value += stride) values.add(value);
  }
  return values;
}

function parseValue(field: Field, text: string): number {
  const named = field.names?.indexOf(text) ?? -1;
  const value = named >= 0 ? field.min + named : /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= field.min && value <= field.max) return value;
  throw unreadable(field, text);
}

function isAny(text: string | undefined): boolean {
  return text === "*" || text === "?";
}

function unreadable({ name, min, max }: Field, text: string): CronExpressionError {
  return new CronExpressionError(`"${text}" is no ${name} of a cron string (${min} to ${max}).`);
}
