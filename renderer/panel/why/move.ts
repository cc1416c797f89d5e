import type { Day } from "./week.ts";

/**
 * The moment that a key chooses, from the one that is chosen: the beginning of a span. Null for other keys, and at the edges of the
 * week.
 */
export function moved(week: readonly Day[], at: number, key: string): number | null {
  const row = week.findIndex(({ from, to }) => at >= from && at < to);
  const day = week[row];
  if (day === undefined) return null;
  switch (key) {
    case "ArrowRight":
      return startsOf(week).find((from) => from > at) ?? null;
    case "ArrowLeft":
      // Not the beginning of the chosen span.
      return startsOf(week).findLast((from, place, all) => (all[place + 1] ?? Infinity) <= at) ?? null;
    // The first row is today.
    case "ArrowUp":
      return atSameTime(week[row - 1], at - day.from);
    case "ArrowDown":
      return atSameTime(week[row + 1], at - day.from);
    case "Home":
      return day.spans[0]?.from ?? null;
    case "End":
      return day.spans.at(-1)?.from ?? null;
    default:
      return null;
  }
}

function startsOf(week: readonly Day[]): readonly number[] {
  return week.flatMap(({ spans }) => spans.map(({ from }) => from)).toSorted((a, b) => a - b);
}

/** The span at a time of the day, or the day's last one before it. */
function atSameTime(day: Day | undefined, ms: number): number | null {
  return day?.spans.findLast(({ from }) => from <= day.from + ms)?.from ?? null;
}
