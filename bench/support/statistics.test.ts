import { expect, it } from "vitest";
import { rounded } from "../../app/contract/speed.ts";
import { median, quantile } from "./statistics.ts";

it.each([
  [[3], 3],
  [[1, 9], 5],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])("the median of %j is %d", (samples, expected) => {
  expect(median(samples)).toBe(expected);
});

it("a quantile is the sample with the nearest rank", () => {
  const samples = Array.from({ length: 100 }, (_, n) => n + 1);
  expect([0, 0.5, 0.95, 1].map((share) => quantile(samples, share))).toEqual([1, 50, 95, 100]);
});

it("a quantile of no samples is an error", () => {
  expect(() => quantile([], 0.5)).toThrow("Nothing was measured");
});

it("figures are rounded to three significant digits", () => {
  expect([2345.6, 0.123456, 7].map(rounded)).toEqual([2350, 0.123, 7]);
});
