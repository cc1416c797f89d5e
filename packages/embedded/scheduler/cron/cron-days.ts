/** Tells whether a UTC date matches a cron string's days. */
export type DayMatcher = (date: Date) => boolean;

const friday = 5;
const saturday = 6;

export function inMonthDays(days: ReadonlySet<number>): DayMatcher {
  return (date) => days.has(date.getUTCDate());
}

export function inWeekDays(days: ReadonlySet<number>): DayMatcher {
  return (date) => days.has(date.getUTCDay());
}

/** Matches the day that is `offset` days before the month's last. */
export function lastDay(offset: number): DayMatcher {
  return (date) => date.getUTCDate() === lengthOfMonth(date) - offset;
}

/** Matches the working day that is closest to a day of the month, within the month. */
export function closestWeekday(dayOf: (length: number) => number): DayMatcher {
  return (date) => {
    const length = lengthOfMonth(date);
    const wanted = dayOf(length);
    if (wanted < 1 || wanted > length) return false;
    return date.getUTCDate() === closestWorkingDay(date, wanted, length);
  };
}

/** Matches the `nth` of a weekday in the month, starting at 1. */
export function nthWeekday(weekday: number, nth: number): DayMatcher {
  return (date) => date.getUTCDay() === weekday && Math.ceil(date.getUTCDate() / 7) === nth;
}

/** Matches the last of a weekday in the month. */
export function lastWeekday(weekday: number): DayMatcher {
  return (date) => date.getUTCDay() === weekday && date.getUTCDate() + 7 > lengthOfMonth(date);
}

function closestWorkingDay(month: Date, day: number, length: number): number {
  const weekday = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), day)).getUTCDay();
  if (weekday >= 1 && weekday <= friday) return day;
  if (weekday === saturday) return day > 1 ? day - 1 : day + 2;
  return day < length ? day + 1 : day - 2;
}

function lengthOfMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
