import { expect, it } from "vitest";
import type { HistoryPage } from "../../../app/contract/past-jobs.ts";
import { snapshots } from "../../gallery/fixtures/snapshots.ts";
import { countOf, knownRows, neededPage, noPages, type Pages, rowAt, withoutFar, withPage } from "./pages.ts";

const example = snapshots(1_000_000).donating.history[0]!;
const perPage = 100;

/** A page of the server, whose cursors are numbers. */
function pageOf(cursor: string | null, total: number): HistoryPage {
  const first = Number(cursor ?? 0);
  const count = Math.min(perPage, total - first);
  const rows = Array.from({ length: count }, (_, at) => ({
    ...example,
    attemptId: `a${String(first + at)}`,
  }));
  return { rows, next: first + count < total ? String(first + count) : null };
}

const loadedRows = ({ pages }: Pages): number =>
  pages.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0);

/** Loads what the visible rows need, as the page does. */
function shown(list: Pages, visible: { first: number; end: number }, total: number): Pages {
  let now = list;
  for (;;) {
    const needed = neededPage(now, visible);
    if (needed === null) return withoutFar(now, visible);
    now = withPage(now, needed.place, pageOf(needed.cursor, total));
  }
}

it("scrolls through 100,000 jobs and back, and keeps only the rows nearby", () => {
  const total = 100_000;
  let list = noPages;
  for (let first = 0; first < total; first += 50) {
    list = shown(list, { first, end: Math.min(first + 60, total) }, total);
    expect(loadedRows(list)).toBeLessThanOrEqual(2_400);
  }
  expect(countOf(list)).toBe(total);
  expect(list.next).toBeNull();
  expect(rowAt(list, total - 1)!.attemptId).toBe("a99999");
  expect(rowAt(list, 0)).toBeNull();
  list = shown(list, { first: 0, end: 10 }, total);
  expect(rowAt(list, 0)!.attemptId).toBe("a0");
  expect(rowAt(list, total - 1)).toBeNull();
  expect(countOf(list)).toBe(total);
});

it("loads no page before its rows are near", () => {
  const list = shown(noPages, { first: 0, end: 10 }, 1_000);
  expect(countOf(list)).toBe(100);
  expect(neededPage(list, { first: 50, end: 99 })).toBeNull();
  expect(neededPage(list, { first: 90, end: 100 })).toEqual({ place: 1, cursor: "100" });
});

it("asks on after a page on which nothing was found", () => {
  const list = withPage(noPages, 0, { rows: [], next: "7" });
  expect(neededPage(list, { first: 0, end: 0 })).toEqual({ place: 1, cursor: "7" });
  const end = withPage(list, 1, { rows: [], next: null });
  expect(neededPage(end, { first: 0, end: 10 })).toBeNull();
  expect(countOf(end)).toBe(0);
});

it("shows the known rows before anything is loaded", () => {
  expect(knownRows([])).toBe(noPages);
  const list = knownRows([example]);
  expect(rowAt(list, 0)).toBe(example);
  expect(neededPage(list, { first: 0, end: 10 })).toBeNull();
});
