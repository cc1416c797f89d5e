const minutesPerDay = 24 * 60;

/**
 * Minutes of local time since Monday 00:00: 0 to 10 079. By the calendar's clock, so that where it is put forward or
 * back, an hour of the week is left out or comes twice, as it does on the wall.
 */
export function minuteOfWeek(date: Date): number {
  const daysSinceMonday = (date.getDay() + 6) % 7;
  return daysSinceMonday * minutesPerDay + date.getHours() * 60 + date.getMinutes();
}
