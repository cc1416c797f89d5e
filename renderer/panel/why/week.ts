import type { Explanation } from "../../../app/contract/explanation.ts";
import type { SpanState } from "../../../app/contract/span-words.ts";
import { startOfDay } from "../../../app/format/time.ts";

/** A part of a day in one state, or in several short ones in turn. Moments are ms since the epoch. */
export type DaySpan = SpanState & {
  readonly from: number;
  readonly to: number;
  /** The states in it, the longest first. The span has the state of the first. */
  readonly parts: readonly Part[];
};

export type Part = SpanState & { readonly ms: number };

export type Day = {
  /** Local midnight, and the next one: 23 to 25 hours later. */
  readonly from: number;
  readonly to: number;
  /** In order, without gaps, until the end of the explanation. */
  readonly spans: readonly DaySpan[];
};

const days = 7;
/** A bar has few pixels, so spans shorter than this share one with their short neighbors. */
const shortMs = 10 * 60_000;
const longestSharedMs = 30 * 60_000;

/** The local midnight with which the last seven days begin. */
export function weekStart(now: number): number {
  return dayStart(now, days - 1);
}

/** The last seven days, today first. Pure. */
export function weekOf({ spans, until }: Pick<Explanation, "spans" | "until">): readonly Day[] {
  return Array.from({ length: days }, (_, back) => {
    const [from, to] = [dayStart(until, back), dayStart(until, back - 1)];
    const inDay = spans
      .filter((span) => span.to > from && span.from < to)
      .map((span) => ({ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }));
    return { from, to, spans: folded(inDay) };
  });
}

/** Whether the journal tells about a minute at least. */
export function isRecorded(spans: Explanation["spans"]): boolean {
  const known = spans.filter(({ kind }) => kind !== "unknown");
  return known.reduce((ms, { from, to }) => ms + to - from, 0) >= 60_000;
}

type Piece = SpanState & { readonly from: number; readonly to: number };

function folded(pieces: readonly Piece[]): readonly DaySpan[] {
  const spans: DaySpan[] = [];
  let row: Piece[] = [];
  const end = (): void => {
    if (row.length > 0) spans.push(joined(row));
    row = [];
  };
  for (const piece of pieces) {
    const isShort = piece.to - piece.from < shortMs;
    if (!isShort || piece.to - (row[0]?.from ?? piece.from) > longestSharedMs) end();
    row.push(piece);
    if (!isShort) end();
  }
  end();
  return spans;
}

function joined(row: readonly Piece[]): DaySpan {
  const parts = new Map<string, Part>();
  for (const { kind, reason, from, to } of row) {
    const key = `${kind} ${reason}`;
    parts.set(key, { kind, reason, ms: (parts.get(key)?.ms ?? 0) + to - from });
  }
  const sorted = [...parts.values()].sort((one, other) => other.ms - one.ms);
  const [{ kind, reason } = { kind: "unknown" as const, reason: "" }] = sorted;
  return { kind, reason, from: row[0]?.from ?? 0, to: row.at(-1)?.to ?? 0, parts: sorted };
}

/** The local midnight some days before a moment. */
function dayStart(at: number, back: number): number {
  const midnight = new Date(startOfDay(at));
  return midnight.setDate(midnight.getDate() - back);
}
