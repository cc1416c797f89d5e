import { plural } from "./quantity.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Short names of the days of the week, Monday first. */
export const dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** How long ago, from a distance in milliseconds: "just now", "12 s ago", "3 min ago", "2 h ago", "5 d ago". */
export function formatAgo(ms: number): string {
  if (ms < 5 * second) return "just now";
  if (ms < minute) return `${Math.floor(ms / second)} s ago`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < day) return `${Math.floor(ms / hour)} h ago`;
  return `${Math.floor(ms / day)} d ago`;
}

/** How long until, from a distance in milliseconds: "now", "in 12 s", "in 3 min", "in 2 h", "in 5 d". */
export function formatIn(ms: number): string {
  if (ms <= 0) return "now";
  if (ms < minute) return `in ${Math.ceil(ms / second)} s`;
  if (ms < hour) return `in ${Math.round(ms / minute)} min`;
  if (ms < day) return `in ${Math.round(ms / hour)} h`;
  return `in ${Math.round(ms / day)} d`;
}

/** A duration in milliseconds, precisely: "340 ms", "4.2 s", "2 min 05 s", "1 h 12 min". */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < minute - 50) return `${(ms / second).toFixed(1)} s`;
  const seconds = Math.round(ms / second);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${pad(Math.floor((seconds % 3_600) / 60))} min`;
}

/** A duration in milliseconds, roughly: "< 1 s", "12 s", "41 min", "3 h 12 min", "2 d 3 h". Two units at most. */
export function formatSpan(ms: number): string {
  const seconds = Math.round(ms / second);
  if (seconds === 0 && ms > 0) return "< 1 s";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(ms / minute);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return twoUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(ms / hour);
  return twoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

function twoUnits(many: number, unit: string, few: number, smaller: string): string {
  return few === 0 ? `${many} ${unit}` : `${many} ${unit} ${few} ${smaller}`;
}

/** Seconds without fractions: "12 s", "2 min", "2 min 34 s". */
export function formatWholeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600 && seconds % 60 === 0) return `${seconds / 60} min`;
  return formatDuration(Math.floor(seconds) * second);
}

/** Seconds as a person set them, in words: "90 seconds", "5 minutes", "1 hour". */
export function spellSeconds(seconds: number): string {
  if (seconds % 3_600 === 0 && seconds > 0) return plural(seconds / 3_600, "hour");
  return seconds % 60 === 0 && seconds > 0 ? plural(seconds / 60, "minute") : plural(seconds, "second");
}

/** The local time of day, "14:05", of a moment in milliseconds since the epoch. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** A minute of the day as "14:05". The end of the day is "24:00". */
export function formatMinuteOfDay(minuteOfDay: number): string {
  return `${pad(Math.floor(minuteOfDay / 60))}:${pad(minuteOfDay % 60)}`;
}

/** A minute of the week, from Monday 00:00, as "Tue 14:05". */
export function formatMinuteOfWeek(minuteOfWeek: number): string {
  const name = dayNames[Math.floor(minuteOfWeek / 1_440)] ?? "";
  return `${name} ${formatMinuteOfDay(minuteOfWeek % 1_440)}`;
}

/** A moment as people say it: "14:05" today, "tomorrow 08:00", else "21 Nov 08:00" (local time). */
export function formatMoment(at: number, now: number): string {
  const days = daysBetween(now, at);
  if (days === 0) return formatClock(at);
  if (days === 1) return `tomorrow ${formatClock(at)}`;
  if (days === -1) return `yesterday ${formatClock(at)}`;
  return `${formatDate(at, { day: "numeric", month: "short" })} ${formatClock(at)}`;
}

/** A moment with its weekday: "17:30" today, else "Mon 23 Nov 17:30" (local time). */
export function formatMomentOfWeek(at: number, now: number): string {
  if (daysBetween(now, at) === 0) return formatClock(at);
  return `${formatDate(at, { weekday: "short", day: "numeric", month: "short" })} ${formatClock(at)}`;
}

/** The full local date and time, for a tooltip. */
export function formatFull(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

function formatDate(at: number, parts: Intl.DateTimeFormatOptions): string {
  return new Date(at).toLocaleDateString("en-GB", parts).replace(",", "");
}

function daysBetween(from: number, to: number): number {
  const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
  // Rounded, since a day with a change of the clock is 23 or 25 hours long.
  return Math.round((midnight(to) - midnight(from)) / day);
}

function pad(value: number): string {
  return value.toString().padStart(2, "0");
}
