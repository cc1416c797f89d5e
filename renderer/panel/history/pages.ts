import type { HistoryPage } from "../../../app/contract/past-jobs.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";

type Page = {
  readonly cursor: string | null;
  readonly count: number;
  /** Null: they were dropped, and are loaded again when somebody scrolls back. */
  readonly rows: readonly HistoryRow[] | null;
};

/** A long list of which only the pages near the visible rows are kept. */
export type Pages = {
  readonly pages: readonly Page[];
  /** The page after the known ones. Null: there is none. */
  readonly next: { readonly cursor: string | null } | null;
};

/** The places of the visible rows: from `first` up to and without `end`. */
export type Visible = { readonly first: number; readonly end: number };

export const noPages: Pages = { pages: [], next: { cursor: null } };

/** Rows that are known before any page was loaded. Whether there are older ones is not known. */
export function knownRows(rows: readonly HistoryRow[]): Pages {
  return rows.length === 0 ? noPages : { pages: [{ cursor: null, count: rows.length, rows }], next: null };
}

/** Adds the page after the known ones, or puts one back. @param place of the page among the pages. */
export function withPage(list: Pages, place: number, { rows, next }: HistoryPage): Pages {
  const known = list.pages[place];
  const cursor = known === undefined ? (list.next?.cursor ?? null) : known.cursor;
  const page = { cursor, count: rows.length, rows };
  if (known !== undefined) return { ...list, pages: list.pages.with(place, page) };
  return { pages: [...list.pages, page], next: next === null ? null : { cursor: next } };
}

export function countOf({ pages }: Pages): number {
  return pages.reduce((sum, { count }) => sum + count, 0);
}

/** The row at a place of the whole list. Null while its page is not loaded. */
export function rowAt({ pages }: Pages, place: number): HistoryRow | null {
  let first = 0;
  for (const { count, rows } of pages) {
    if (place < first + count) return rows?.[place - first] ?? null;
    first += count;
  }
  return null;
}

/** The page that the visible rows need first: its place and its cursor. Null: all are there. */
export function neededPage(
  list: Pages,
  { first, end }: Visible,
): { readonly place: number; readonly cursor: string | null } | null {
  let start = 0;
  for (const [place, { count, rows, cursor }] of list.pages.entries()) {
    if (rows === null && start < end && start + count > first) return { place, cursor };
    start += count;
  }
  return list.next !== null && end >= start ? { place: list.pages.length, cursor: list.next.cursor } : null;
}

/** Rows that are farther away than this are dropped. */
const keptRows = 1_000;

/** Drops the rows of pages that are far from the visible ones. */
export function withoutFar(list: Pages, { first, end }: Visible): Pages {
  let start = 0;
  const pages = list.pages.map((page) => {
    const isFar = start > end + keptRows || start + page.count < first - keptRows;
    start += page.count;
    return isFar && page.rows !== null ? { ...page, rows: null } : page;
  });
  return pages.some((page, place) => page !== list.pages[place]) ? { ...list, pages } : list;
}
