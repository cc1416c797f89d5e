/** Whole minutes of this computer's local time since Monday 00:00, at `now` (ms since the epoch). */
export function minuteOfWeek(now: number): number {
  const date = new Date(now);
  const day = (date.getDay() + 6) % 7;
  return (day * 24 + date.getHours()) * 60 + date.getMinutes();
}
