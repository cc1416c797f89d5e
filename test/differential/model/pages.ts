import type { Value } from "convex/values";
import type { PageOptions, Source } from "../convex/noteProgram.ts";
import { type Note, shown } from "./note.ts";
import { comparePlaces, entriesOf, type Place } from "./sources.ts";

/** Between two places of a source: after one, or at its end. */
export type Position = { readonly after: Place } | "end";

export type Ends = { readonly start: Position | null; readonly end: Position | null };

export type Page = {
  readonly page: readonly Value[];
  readonly isDone: boolean;
  readonly continueCursor: Position;
  readonly splitCursor: Position | null;
  readonly pageStatus: "SplitRecommended" | "SplitRequired" | null;
};

/** Bytes of `_id` and `_creationTime`. */
const systemBytes = 61;

/** Convex's rules for one page, on a list of all entries. */
export function pageOf(
  notes: readonly Note[],
  source: Source,
  { start, end }: Ends,
  { numItems, maximumRowsRead, maximumBytesRead }: PageOptions,
): Page {
  const entries = entriesOf(notes, source).filter(
    ({ place }) => isAfter(source, place, start) && (end === null || !isAfter(source, place, end)),
  );
  // A search has no limits of reads, and a page with an end has none either.
  const isRows = source.kind === "rows";
  const [mostRows, mostBytes] = isRows
    ? [maximumRowsRead ?? Infinity, maximumBytesRead ?? Infinity]
    : [Infinity, Infinity];
  const read: { place: Place; bytes: number }[] = [];
  const page: Value[] = [];
  const bytesRead = (): number => read.reduce((sum, { bytes }) => sum + bytes, 0);
  let reached: "items" | "limit" | "end" = "end";
  for (let n = 0; ; n += 1) {
    if (end === null && page.length >= numItems) reached = "items";
    else if (end === null && (read.length >= mostRows || bytesRead() >= mostBytes)) reached = "limit";
    else if (n < entries.length) {
      const { place, note, passes } = entries[n]!;
      read.push({ place, bytes: systemBytes + bytesOf(note.fields) });
      if (passes) page.push(shown(note));
      continue;
    }
    break;
  }
  const last = read.at(-1)?.place;
  const continueCursor =
    end ?? (reached === "end" ? "end" : last === undefined ? (start ?? "end") : { after: last });
  const isMuch =
    read.length > Math.floor((mostRows * 3) / 4) || bytesRead() > Math.floor((mostBytes * 3) / 4);
  const middle = isRows && read.length > 2 ? read[Math.floor(read.length / 2)] : undefined;
  return {
    page,
    isDone: continueCursor === "end",
    continueCursor,
    splitCursor: middle === undefined ? null : { after: middle.place },
    pageStatus: reached === "limit" ? "SplitRequired" : isMuch ? "SplitRecommended" : null,
  };
}

/** Whether a place comes after a position. Every place comes after null, and none after the end. */
export function isAfter(source: Source, place: Place, position: Position | null): boolean {
  if (position === null) return true;
  return position !== "end" && comparePlaces(source, place, position.after) > 0;
}

/** The size of a value, as Convex's documentation has it. The programs have no other types. */
function bytesOf(value: Value): number {
  if (typeof value === "string") return 2 + value.length;
  if (typeof value === "number") return 9;
  if (typeof value !== "object" || value === null) return 1;
  const parts = Object.entries(value).map(
    ([name, each]) => bytesOf(each as Value) + (Array.isArray(value) ? 0 : name.length + 1),
  );
  return 2 + parts.reduce((sum, bytes) => sum + bytes, 0);
}
