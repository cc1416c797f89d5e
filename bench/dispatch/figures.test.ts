import { expect, it } from "vitest";
import { dispatchBars } from "./figures.ts";

const times = (n: number, ours: number, baseline: number) => ({
  n,
  ours: { p50: 1, p95: ours },
  baseline: { p50: 1, p95: baseline },
});

it("the queue meets each bar of dispatch at its exact limit", () => {
  const measured = [times(1, 60, 60), times(50, 30, 60), times(500, 12, 60)];
  expect(dispatchBars(measured).map(({ met }) => met)).toEqual([true, true, true]);
});

it.each([
  [1, 61],
  [50, 31],
  [500, 13],
])("the queue misses the bar of %d workers with a p95 of %d ms, if the baseline has 60 ms", (n, ms) => {
  expect(dispatchBars([times(n, ms, 60)]).map(({ met }) => met)).toEqual([false]);
});
