import { formatMinuteOfDay } from "../../app/format/time.ts";
import type { ScheduleWindow } from "../../app/policy/rules/schedule.ts";

/** The first suggestion: the nights of the working week. */
export const nights: ScheduleWindow = { days: [0, 1, 2, 3, 4], fromMinute: 19 * 60, toMinute: 7 * 60 };

/** Formats a minute of the day for a time input. The end of the day is "00:00". */
export function timeOf(minute: number): string {
  return formatMinuteOfDay(minute % 1_440);
}

/** Parses a time input's text to a minute of the day. NaN while the input is incomplete. */
export function minuteOf(time: string): number {
  const [, hours, minutes] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  return hours === undefined || minutes === undefined ? Number.NaN : Number(hours) * 60 + Number(minutes);
}

export function withDay({ days, ...rest }: ScheduleWindow, day: number, on: boolean): ScheduleWindow {
  const others = days.filter((each) => each !== day);
  return { ...rest, days: on ? [...others, day].sort((a, b) => a - b) : others };
}
