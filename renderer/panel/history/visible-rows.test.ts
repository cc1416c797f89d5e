import { expect, it } from "vitest";
import { placeAfter, rowHeight, scrolledTo, visibleRows } from "./visible-rows.ts";

it("draws the rows in view and a few more, of 100,000 as of ten", () => {
  const height = 8 * rowHeight;
  expect(visibleRows(0, height, 100_000)).toEqual({ first: 0, end: 16 });
  expect(visibleRows(50_000 * rowHeight, height, 100_000)).toEqual({ first: 49_992, end: 50_016 });
  expect(visibleRows(99_992 * rowHeight, height, 100_000)).toEqual({ first: 99_984, end: 100_000 });
  expect(visibleRows(0, height, 10)).toEqual({ first: 0, end: 10 });
  // The list became shorter than what was scrolled.
  expect(visibleRows(5_000, height, 3)).toEqual({ first: 3, end: 3 });
});

it("scrolls no further than a row needs", () => {
  const height = 4 * rowHeight;
  expect(scrolledTo(2, 0, height)).toBe(0);
  expect(scrolledTo(4, 0, height)).toBe(rowHeight);
  expect(scrolledTo(1, 3 * rowHeight, height)).toBe(rowHeight);
});

it("keys move by a row, by a page, and to both ends", () => {
  expect(placeAfter("ArrowDown", null, 50, 8)).toBe(0);
  expect(placeAfter("ArrowDown", 49, 50, 8)).toBe(49);
  expect(placeAfter("ArrowUp", 3, 50, 8)).toBe(2);
  expect(placeAfter("PageDown", 3, 50, 8)).toBe(11);
  expect(placeAfter("PageUp", 3, 50, 8)).toBe(0);
  expect(placeAfter("End", 3, 50, 8)).toBe(49);
  expect(placeAfter("Home", 3, 50, 8)).toBe(0);
  expect(placeAfter("Tab", 3, 50, 8)).toBeNull();
  expect(placeAfter("ArrowDown", null, 0, 8)).toBeNull();
});
