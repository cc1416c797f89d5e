const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

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

/** A length of time in milliseconds: "340 ms", "4.2 s", "2 min 05 s", "1 h 12 min". */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < minute - 50) return `${(ms / second).toFixed(1)} s`;
  const seconds = Math.round(ms / second);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${pad(Math.floor((seconds % 3_600) / 60))} min`;
}

/** The local time of day, "14:05", of a moment in milliseconds since the epoch. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** A moment as people say it: "14:05" today, "tomorrow 08:00", else "21 Nov 08:00" (local time). */
export function formatMoment(at: number, now: number): string {
  const days = daysBetween(now, at);
  if (days === 0) return formatClock(at);
  if (days === 1) return `tomorrow ${formatClock(at)}`;
  if (days === -1) return `yesterday ${formatClock(at)}`;
  const date = new Date(at);
  return `${date.getDate()} ${months[date.getMonth()] ?? ""} ${formatClock(at)}`;
}

/** The full local date and time, for a tooltip. */
export function formatFull(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function daysBetween(from: number, to: number): number {
  const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
  // Rounded, since a day with a change of the clock is 23 or 25 hours long.
  return Math.round((midnight(to) - midnight(from)) / day);
}

function pad(value: number): string {
  return value.toString().padStart(2, "0");
}
