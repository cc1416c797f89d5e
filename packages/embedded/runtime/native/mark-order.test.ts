import { expect, test } from "vitest";
import { reserveMarks } from "./mark-order.ts";

const marks = (count: number): string => "\u0301\u0323".repeat(count / 2);

test("a text may have some thousand marks in a row, and any number in all", () => {
  expect(() => reserveMarks(`a${marks(20_000)}`)).not.toThrow();
  expect(() => reserveMarks(`a${marks(30)}`.repeat(100_000))).not.toThrow();
  expect(() => reserveMarks(`a${marks(1_000)}`.repeat(500))).not.toThrow();
});

test("a text whose marks would take long to be put in order is refused", () => {
  expect(() => reserveMarks(`a${marks(24_000)}`)).toThrow("timed out");
  expect(() => reserveMarks(`a${marks(10_000)}`.repeat(6))).toThrow("timed out");
});
