import type { ScheduleWindow } from "../rules.ts";
import { type Check, hold } from "../declare/check.ts";

const day = 24 * 60;
const week = 7 * day;

/** Outside the hours of the week that the rules leave: until the next begin. */
export const schedule: Check<"now" | "minuteOfWeek", "schedule", "outside-schedule"> = ({ facts, rules }) => {
  if (rules.schedule === null || isOpen(rules.schedule, facts.minuteOfWeek)) return null;
  const minutes = minutesUntilOpen(rules.schedule, facts.minuteOfWeek);
  return hold("outside-schedule", minutes === null ? null : minutesLater(facts.now, minutes));
};

/** When the hours end in which it may donate now, in ms since the epoch; null when they do not. */
export function scheduleEndsAt(
  windows: readonly ScheduleWindow[] | null,
  now: number,
  minuteOfWeek: number,
): number | null {
  if (windows === null || !isOpen(windows, minuteOfWeek)) return null;
  // From the end of one window into the next that is open there, as long as there is one.
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

/** Hours begin at a full minute; local time is whole minutes away from the epoch's in every time zone of today. */
function minutesLater(now: number, minutes: number): number {
  return (Math.floor(now / 60_000) + minutes) * 60_000;
}
