import { expect, it } from "vitest";
import { repetitions } from "./repetitions.ts";

function countOf(most: number, withinMs: number, eachMs: number, least?: number): number {
  let nowMs = 1_000;
  let count = 0;
  for (const index of repetitions(most, withinMs, {
    now: () => nowMs,
    ...(least === undefined ? {} : { least }),
  })) {
    expect(index).toBe(count);
    count += 1;
    nowMs += eachMs;
  }
  return count;
}

it("a fast machine measures as often as asked", () => {
  expect(countOf(5, 100, 20)).toBe(5);
});

it("a slow machine measures as often as the time allows", () => {
  expect(countOf(5, 100, 40)).toBe(2);
});

it("even the slowest machine measures the least number", () => {
  expect([countOf(5, 100, 1_000), countOf(5, 100, 1_000, 3)]).toEqual([1, 3]);
});

it("no repetitions are made if none are asked for", () => {
  expect(countOf(0, 100, 1)).toBe(0);
});
