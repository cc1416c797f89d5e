import { expect, it } from "vitest";
import { contentionBars, type ContentionFigures, queuedFirstBars, zeroLatencyBars } from "./figures.ts";

const baseline: ContentionFigures = {
  conflictsPerJob: 20,
  failedClaims: 9,
  emptyClaims: 9,
  jobsPerSecond: 20,
};
const good: ContentionFigures = { conflictsPerJob: 1, failedClaims: 0, emptyClaims: 9, jobsPerSecond: 100 };

it("the queue meets each bar of contention at its exact limit", () => {
  expect(contentionBars(good, baseline).every(({ met }) => met)).toBe(true);
});

it.each([
  [{ conflictsPerJob: 1.01 }, 0],
  [{ failedClaims: 1 }, 1],
  [{ jobsPerSecond: 99 }, 2],
])("a queue with %j misses only bar %d of contention", (change, missed) => {
  expect(contentionBars({ ...good, ...change }, baseline).map(({ met }) => met)).toEqual(
    [0, 1, 2].map((n) => n !== missed),
  );
});

it("the queue meets each bar without latency at its exact limit", () => {
  const bars = zeroLatencyBars({ ...good, jobsPerSecond: 30 }, baseline);
  expect(bars.every(({ met }) => met)).toBe(true);
});

it.each([
  [{ failedClaims: 1 }, 0],
  [{ jobsPerSecond: 29 }, 1],
])("a queue with %j misses only bar %d without latency", (change, missed) => {
  const bars = zeroLatencyBars({ ...good, jobsPerSecond: 30, ...change }, baseline);
  expect(bars.map(({ met }) => met)).toEqual([0, 1].map((n) => n !== missed));
});

it.each([
  [0, true],
  [1, false],
])("a queue that was full first, with %d failed claims, meets its bar: %s", (failedClaims, met) => {
  const bars = queuedFirstBars({ ...good, jobsPerSecond: 1, failedClaims });
  expect(bars.map((bar) => bar.met)).toEqual([met]);
});
