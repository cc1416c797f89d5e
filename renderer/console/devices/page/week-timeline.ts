import { formatClock, formatDay, formatDuration, startOfDay } from "../../../../app/format/time.ts";
import { reasonWords } from "../../../../app/policy/reasons.ts";
import type { DeviceSpan } from "../../data/rows.ts";
import { stateWords } from "../state-words.ts";

export type Segment = Pick<DeviceSpan, "state" | "reason"> & { readonly from: number; readonly to: number };

export type TimelineDay = {
  readonly startAt: number;
  /** The start of the next day. Days with a change of the clock have 23 or 25 hours. */
  readonly endAt: number;
  readonly segments: readonly Segment[];
  readonly donatedMs: number;
};

const shownDays = 7;

/** The last seven days of a journal, the newest first. Each span lasts until the next one, the last one until now. */
export function timelineOf(spans: readonly DeviceSpan[], now: number): readonly TimelineDay[] {
  const whole = spans.map(({ at, state, reason }, index) => ({
    from: at,
    to: Math.min(now, spans[index + 1]?.at ?? now),
    state,
    reason,
  }));
  const days: TimelineDay[] = [];
  for (let endAt = startOfNextDay(now); days.length < shownDays; endAt = startOfDay(endAt - 1)) {
    const startAt = startOfDay(endAt - 1);
    const segments = whole
      .map((span) => ({ ...span, from: Math.max(span.from, startAt), to: Math.min(span.to, endAt) }))
      .filter(({ from, to }) => to > from);
    const donated = segments.filter(({ state }) => state === "donating");
    days.push({
      startAt,
      endAt,
      segments,
      donatedMs: donated.reduce((sum, { from, to }) => sum + to - from, 0),
    });
  }
  return days;
}

function startOfNextDay(now: number): number {
  const day = new Date(startOfDay(now));
  day.setDate(day.getDate() + 1);
  return day.getTime();
}

/** "Standby, on battery power: 09:12 to 10:40 (1h 28m)" */
export function segmentWords({ state, reason, from, to }: Segment): string {
  const why = reasonText(reason);
  const words = why === null ? stateWords[state] : `${stateWords[state]}, ${why}`;
  return `${words}: ${formatClock(from)} to ${formatClock(to)} (${formatDuration(to - from)})`;
}

/** A reason's words for others than the donor; null without a known reason. */
export function reasonText(reason: string): string | null {
  const words = reason === "" ? null : reasonWords(reason);
  return words === null ? null : (words.toOthers?.short ?? words.short);
}

/** "Nov 21: donated 3h 20m", for people who do not see the bar. */
export function dayWords({ segments, donatedMs, startAt }: TimelineDay): string {
  if (segments.length === 0) return "Nothing is known";
  const donated = donatedMs < 60_000 ? "did not donate" : `donated ${formatDuration(donatedMs)}`;
  return `${formatDay(startAt)}: ${donated}`;
}

/** A color of tokens.css. */
export type SpanColor = "accent" | "bad" | "edge" | "hold" | "line" | "rest";

export type ReasonTotal = {
  readonly words: string;
  readonly state: DeviceSpan["state"];
  readonly ms: number;
  readonly color: SpanColor;
};

/** Each other state has as many reasons as there are rules. */
const stateColors: Readonly<Partial<Record<DeviceSpan["state"], SpanColor>>> = {
  donating: "accent",
  paused: "bad",
  offline: "line",
  retired: "line",
};

/** For the longest reasons, one each. All others have the last one. */
const reasonColors = ["rest", "hold", "edge"] as const satisfies readonly SpanColor[];

/** Times below a minute, such as that of a start, are not worth a line. */
const shortestMs = 60_000;

/** Why the device did not donate in these days, the longest reason first. Its longest reasons differ in color. */
export function standbyTotals(days: readonly TimelineDay[]): readonly ReasonTotal[] {
  const totals = new Map<string, Omit<ReasonTotal, "color">>();
  for (const { state, reason, from, to } of days.flatMap(({ segments }) => segments)) {
    if (state === "donating") continue;
    const words = whyWords({ state, reason });
    const key = `${state} ${words}`;
    totals.set(key, { words, state, ms: (totals.get(key)?.ms ?? 0) + to - from });
  }
  const sorted = [...totals.values()].filter(({ ms }) => ms >= shortestMs).sort((a, b) => b.ms - a.ms);
  const ranked = sorted.filter(({ state }) => stateColors[state] === undefined);
  return sorted.map((total) => ({
    ...total,
    color: stateColors[total.state] ?? reasonColors[ranked.indexOf(total)] ?? "edge",
  }));
}

/** The color of a segment in the bars of these totals. */
export function colorOf(
  totals: readonly ReasonTotal[],
  { state, reason }: Pick<Segment, "state" | "reason">,
): SpanColor {
  const total = totals.find((each) => each.state === state && each.words === whyWords({ state, reason }));
  return total?.color ?? stateColors[state] ?? "edge";
}

function whyWords({ state, reason }: Pick<Segment, "state" | "reason">): string {
  return reasonText(reason) ?? stateWords[state];
}
