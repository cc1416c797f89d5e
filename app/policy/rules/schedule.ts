import { dayNames, formatMinuteOfDay } from "../../format/time.ts";
import { check, type Context, veto } from "../declare/check.ts";
import type { Rule, ValuesOf } from "../declare/rule.ts";

/**
 * Local time on each of these days (0: Monday), in minutes since midnight. A window whose end is not after its start ends
 * on the next day.
 */
export type ScheduleWindow = {
  readonly days: readonly number[];
  readonly fromMinute: number;
  readonly toMinute: number;
};

type Schedule = readonly ScheduleWindow[] | null;

/** The hours of the week in which it may donate. null: always; none: never. */
const rule: Rule<Schedule> = {
  section: "when",
  title: "Hours",
  hint: "The hours of the week in which it may donate, in the computer's own time zone.",
  default: null,
  field: { kind: "schedule" },
  say: (value) =>
    value === null ? "at any hour" : value.map(sayWindow).join(", ") || /* @wc-include */ "never",
};

export const scheduleRules = { schedule: rule };

const day = 24 * 60;
const week = 7 * day;

/** Outside the hours of the week, until the next ones begin. */
export const schedule = check({
  reasons: {
    "outside-schedule": {
      short: "Outside its hours",
      brief: "Gleaner waits until its scheduled hours begin.",
      sentence: "It is outside the scheduled hours. Gleaner continues when they start.",
      facts: ["minuteOfWeek"],
    },
  },
  needs: () => [],
  donateNowOverrides: ["schedule"],
  veto: ({ facts, rules }: Context<"now" | "minuteOfWeek", ValuesOf<typeof scheduleRules>>) => {
    if (rules.schedule === null || isOpen(rules.schedule, facts.minuteOfWeek)) return null;
    const minutes = minutesUntilOpen(rules.schedule, facts.minuteOfWeek);
    return veto("outside-schedule", minutes === null ? null : minutesLater(facts.now, minutes));
  },
});

/** The end of the current hours, in ms since the epoch; null outside the hours or if they never end. */
export function scheduleEndsAt(windows: Schedule, now: number, minuteOfWeek: number): number | null {
  if (windows === null || !isOpen(windows, minuteOfWeek)) return null;
  // Go from the end of one window into the next that is open there.
  let minutes = 0;
  while (minutes < week) {
    const left = Math.max(0, ...spansOf(windows).map((span) => minutesLeft(span, minuteOfWeek + minutes)));
    if (left === 0) return minutesLater(now, minutes);
    minutes += left;
  }
  return null;
}

type Span = { readonly start: number; readonly length: number };

function spansOf(windows: readonly ScheduleWindow[]): readonly Span[] {
  return windows.flatMap(({ days, fromMinute, toMinute }) =>
    days.map((at) => ({
      start: at * day + fromMinute,
      length: toMinute > fromMinute ? toMinute - fromMinute : toMinute - fromMinute + day,
    })),
  );
}

function isOpen(windows: readonly ScheduleWindow[], minuteOfWeek: number): boolean {
  return spansOf(windows).some((span) => minutesLeft(span, minuteOfWeek) > 0);
}

function minutesLeft({ start, length }: Span, minuteOfWeek: number): number {
  return Math.max(0, length - minutesFrom(start, minuteOfWeek));
}

function minutesUntilOpen(windows: readonly ScheduleWindow[], minuteOfWeek: number): number | null {
  const spans = spansOf(windows);
  return spans.length === 0 ? null : Math.min(...spans.map(({ start }) => minutesFrom(minuteOfWeek, start)));
}

/** Forward around the week: 0 to 10 079. */
function minutesFrom(from: number, to: number): number {
  return (((to - from) % week) + week) % week;
}

/** Hours start at a full minute. All current time zones differ from UTC by whole minutes. */
function minutesLater(now: number, minutes: number): number {
  return (Math.floor(now / 60_000) + minutes) * 60_000;
}

function sayWindow({ days, fromMinute, toMinute }: ScheduleWindow): string {
  const named =
    days.length === 7 ? /* @wc-include */ "daily" : days.map((day) => dayNames[day] ?? "?").join(" ");
  const isWhole = fromMinute === 0 && toMinute % day === 0;
  const hours = isWhole
    ? /* @wc-include */ "all day"
    : `${formatMinuteOfDay(fromMinute)}–${formatMinuteOfDay(toMinute)}`;
  return `${named} ${hours}`;
}
