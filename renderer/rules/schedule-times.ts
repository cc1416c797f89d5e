import type { ScheduleWindow } from "../../app/policy/rules.ts";

export const dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** What is offered first: the nights of the working week. */
export const nights: ScheduleWindow = { days: [0, 1, 2, 3, 4], fromMinute: 19 * 60, toMinute: 7 * 60 };

/** A minute of the day as a time input has it; the day's end is its beginning. */
export function timeOf(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
}

/** The minute that a time input names; NaN while it names none. */
export function minuteOf(time: string): number {
  const [, hours, minutes] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  return hours === undefined || minutes === undefined ? Number.NaN : Number(hours) * 60 + Number(minutes);
}

export function withDay({ days, ...rest }: ScheduleWindow, day: number, on: boolean): ScheduleWindow {
  const others = days.filter((each) => each !== day);
  return { ...rest, days: on ? [...others, day].sort((a, b) => a - b) : others };
}
