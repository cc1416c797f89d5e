import { locale } from "./locale.ts";
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The narrow forms of other languages are not clear: "vor 4 m". */
const style = locale.startsWith("en") ? "narrow" : "short";
const short = new Intl.DurationFormat(locale, { style, milliseconds: "numeric" });
const long = new Intl.DurationFormat(locale, { style: "long" });
const clock = new Intl.DurationFormat(locale, {
  style: "digital",
  hours: "2-digit",
  secondsDisplay: "auto",
});
const relative = new Intl.RelativeTimeFormat(locale, { style });
const nearbyDay = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** Short names of the days of the week, Monday first. */
export const dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** A distance from now in milliseconds, negative in the past: "now", "12s ago", "in 3m". */
export function formatRelative(ms: number): string {
  if (ms <= 0 && ms > -5 * second) return /* @wc-include */ "now";
  const distance = Math.abs(ms);
  if (distance < minute) return relative.format(Math.ceil(ms / second), "second");
  if (distance < hour) return relative.format(Math.ceil(ms / minute), "minute");
  if (distance < day) return relative.format(Math.ceil(ms / hour), "hour");
  // A day that is some seconds longer by another clock is still one day.
  return relative.format(ms > 0 ? Math.round(ms / day) : Math.ceil(ms / day), "day");
}

/** A duration in milliseconds, in two units at most: "0.34s", "4.2s", "2m 5s", "1h 12m", "3d 3h". */
export function formatDuration(ms: number): string {
  const step = ms < second ? 10 : ms < minute ? 100 : ms < hour ? second : ms < day ? minute : hour;
  return short.format(unitsOf(Math.max(0, Math.round(ms / step)) * step)) || /* @wc-include */ "0s";
}

/** Seconds in words, exactly: "2 minutes", "1 minute, 30 seconds". */
export function spellSeconds(seconds: number): string {
  return long.format(unitsOf(Math.round(seconds * second))) || "0 seconds";
}

function unitsOf(ms: number): Partial<Record<Intl.DurationFormatUnit, number>> {
  return {
    days: Math.floor(ms / day),
    hours: Math.floor((ms % day) / hour),
    minutes: Math.floor((ms % hour) / minute),
    seconds: Math.floor((ms % minute) / second),
    milliseconds: ms % second,
  };
}

/** The last local midnight, in milliseconds since the epoch. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** The local time of day, "14:05", of a moment in milliseconds since the epoch. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return formatMinuteOfDay(date.getHours() * 60 + date.getMinutes());
}

/** A minute of the day as "14:05". The end of the day is "24:00". */
export function formatMinuteOfDay(minuteOfDay: number): string {
  return clock.format({ hours: Math.floor(minuteOfDay / 60), minutes: minuteOfDay % 60 });
}

/** A minute of the week, from Monday 00:00, as "Tue 14:05". */
export function formatMinuteOfWeek(minuteOfWeek: number): string {
  const name = dayNames[Math.floor(minuteOfWeek / 1_440)] ?? "";
  return `${name} ${formatMinuteOfDay(minuteOfWeek % 1_440)}`;
}

/** A moment as people say it: "14:05" today, "tomorrow 08:00", else "Sat, Nov 21 08:00" (local time). */
export function formatMoment(at: number, now: number): string {
  // Rounded, since a day with a change of the clock is 23 or 25 hours long.
  const days = Math.round((startOfDay(at) - startOfDay(now)) / day);
  if (days === 0) return formatClock(at);
  const date =
    Math.abs(days) === 1
      ? nearbyDay.format(days, "day")
      : new Date(at).toLocaleDateString(locale, { weekday: "short", day: "numeric", month: "short" });
  return `${date} ${formatClock(at)}`;
}

/** The local day of the week of a moment, "Sat". */
export function formatWeekday(at: number): string {
  return new Date(at).toLocaleDateString(locale, { weekday: "short" });
}

const month = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

/** The month (UTC) of a moment, "November 2026". */
export function formatMonth(at: number): string {
  return month.format(at);
}

/** A duration in milliseconds in hours, "31.3h". */
export function formatHours(ms: number): string {
  const unit = { style: "unit", unit: "hour", unitDisplay: style } as const;
  return (ms / hour).toLocaleString(locale, { ...unit, maximumFractionDigits: 1 });
}

/** The full local date and time, for a tooltip. */
export function formatFull(at: number): string {
  return new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
}

/** The local day of a moment, "Nov 21". */
export function formatDay(at: number): string {
  return new Date(at).toLocaleDateString(locale, { day: "numeric", month: "short" });
}
