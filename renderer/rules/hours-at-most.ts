import { typedNumbers } from "../../app/format/typed-number.ts";
import type { ScheduleWindow } from "../../app/policy/rules/schedule.ts";

const hoursOfDay = 24;
const hoursOfWeek = 7 * hoursOfDay;
/** A rule has no more. */
const mostWindows = 50;

type Chosen =
  | { readonly kind: "ok"; readonly windows: readonly ScheduleWindow[]; readonly hours: number }
  | { readonly kind: "wrong"; readonly part: "values" | "limit"; readonly why: string };

/**
 * The hours of the week whose value, such as a price, is at most a limit. Both are as typed. The values are those of 24 hours of
 * each day, or of 168 hours from Monday, between spaces, lines, semicolons or commas.
 */
export function hoursAtMost(typedValues: string, typedLimit: string): Chosen {
  const values = numbersIn(typedValues);
  if (typeof values === "string") return { kind: "wrong", part: "values", why: values };
  const limits = typedNumbers(typedLimit);
  const limit = "notANumber" in limits || limits.length !== 1 ? undefined : limits[0];
  if (limit === undefined) return { kind: "wrong", part: "limit", why: "Must be a number." };
  const isChosen = Array.from(
    { length: hoursOfWeek },
    (_, hour) => (values[hour % values.length] as number) <= limit,
  );
  const windows = windowsOf(isChosen);
  const hours = isChosen.filter(Boolean).length;
  if (hours === 0) return { kind: "wrong", part: "limit", why: "Every hour is above it." };
  if (windows.length > mostWindows) {
    const why = `These are ${String(windows.length)} separate times, and a rule has at most ${String(mostWindows)}.`;
    return { kind: "wrong", part: "limit", why };
  }
  return { kind: "ok", windows, hours };
}

/** The numbers, or why they are none. */
function numbersIn(typed: string): readonly number[] | string {
  if (typed.trim() === "") return "Enter 24 or 168 numbers.";
  const values = typedNumbers(typed);
  if ("notANumber" in values) return `“${values.notANumber}” is no number.`;
  if (values.length === hoursOfDay || values.length === hoursOfWeek) return values;
  return `These are ${String(values.length)} numbers. Enter 24 or 168.`;
}

/** Consecutive hours of a day are one window, and days with the same hours share it. */
function windowsOf(isChosen: readonly boolean[]): readonly ScheduleWindow[] {
  const daysOf = new Map<string, ScheduleWindow & { readonly days: number[] }>();
  for (let day = 0; day < 7; day += 1) {
    for (const [from, to] of runsOf(isChosen.slice(day * hoursOfDay, (day + 1) * hoursOfDay))) {
      const key = `${String(from)}–${String(to)}`;
      const window = daysOf.get(key) ?? { days: [], fromMinute: from * 60, toMinute: to * 60 };
      window.days.push(day);
      daysOf.set(key, window);
    }
  }
  return [...daysOf.values()].toSorted((a, b) => a.fromMinute - b.fromMinute || a.toMinute - b.toMinute);
}

/** The starts and ends of the runs of true values. */
function runsOf(values: readonly boolean[]): readonly (readonly [number, number])[] {
  const edges = [...values, false].flatMap((value, at) => (value === (values[at - 1] ?? false) ? [] : [at]));
  return edges.flatMap((edge, at) => (at % 2 === 0 ? [[edge, edges[at + 1] as number] as const] : []));
}
