import { type SpanState, wordsOf } from "../../../app/contract/span-words.ts";
import { formatClock, formatDay, formatDuration, formatWeekday } from "../../../app/format/time.ts";
import type { Day, DaySpan } from "./week.ts";

/** "09:00–10:30". The last moment of a day is 24:00. */
export function spanTime({ from, to }: Pick<DaySpan, "from" | "to">, day: Pick<Day, "to">): string {
  return `${formatClock(from)}–${to === day.to ? "24:00" : formatClock(to)}`;
}

/** "Tue, May 12" */
export function dayTitle({ from }: Pick<Day, "from">): string {
  return `${formatWeekday(from)}, ${formatDay(from)}`;
}

/** The sentence of a span. Of several states in turn, how long each lasted. */
export function spanSentence({ kind, reason, parts }: DaySpan): string {
  if (parts.length < 2) return wordsOf({ kind, reason }).sentence;
  return `In turn: ${parts.map((part) => `${shortWords(part)} ${formatDuration(part.ms)}`).join(", ")}.`;
}

/** A few words for the span: those of its longest state. */
export function shortWords(state: SpanState): string {
  return wordsOf(state).short;
}

/** All of a span in one line, for screen readers. */
export function spanLabel(span: DaySpan, day: Day): string {
  return `${dayTitle(day)}, ${spanTime(span, day)}: ${shortWords(span)}. ${spanSentence(span)}`;
}
