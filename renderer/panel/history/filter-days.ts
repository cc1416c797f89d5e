import type { HistoryFilter } from "../../../app/contract/past-jobs.ts";
import { spans } from "../../../app/statistics/spans.ts";

/** A day (UTC) as an input of dates has it: "2026-11-27". Empty without a day. */
function dayText(at: number | undefined): string {
  return at === undefined ? "" : new Date(at).toISOString().slice(0, 10);
}

/** The first and the last day of a filter. */
export function daysOf({ from, to }: HistoryFilter): { readonly first: string; readonly last: string } {
  return { first: dayText(from), last: dayText(to === undefined ? undefined : to - 1) };
}

/** The same filter, from this day on. @param day empty: from the beginning. */
export function fromDay(filter: HistoryFilter, day: string): HistoryFilter {
  return withField(filter, "from", startOf(day));
}

/** The same filter, up to this day with it. @param day empty: until now. */
export function untilDay(filter: HistoryFilter, day: string): HistoryFilter {
  const start = startOf(day);
  return withField(filter, "to", start === undefined ? undefined : start + spans.day);
}

/** The same filter with another value of a field, or without one. */
export function withField<Name extends keyof HistoryFilter>(
  filter: HistoryFilter,
  name: Name,
  value: HistoryFilter[Name] | undefined,
): HistoryFilter {
  const rest = Object.entries(filter).filter(([each]) => each !== name);
  return Object.fromEntries(value === undefined ? rest : [...rest, [name, value]]);
}

/** Undefined for an empty or unfinished input, and for years that no job has. */
function startOf(day: string): number | undefined {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(at) && at >= 0 && at < 8e15 ? at : undefined;
}
