import { expect, it } from "vitest";
import { isNews, smoothedSpeed, speedStep } from "./speed.ts";

it("moves a known speed toward the last measurement", () => {
  expect(smoothedSpeed(null, { prefill: 100, generate: 10 })).toEqual({ prefill: 100, generate: 10 });
  expect(smoothedSpeed({ prefill: 100, generate: 10 }, { prefill: 200, generate: 10 })).toEqual({
    prefill: 130,
    generate: 10,
  });
});

it.each([
  [0, 0],
  [20, 18.2],
  [21, 22.7],
  [22.7, 22.7],
  [0.5, 0.512],
])("rounds %d tokens per second to the step %d", (speed, step) => {
  expect(speedStep(speed)).toBe(step);
});

it("small changes of a speed stay on one step", () => {
  expect(new Set([40, 42, 43.5].map(speedStep)).size).toBe(1);
});

it.each([
  ["the first speed", null, true],
  ["the same speed", { prefill: 100, generate: 10 }, false],
  ["a slightly other speed", { prefill: 130, generate: 8 }, false],
  ["a much faster read", { prefill: 60, generate: 10 }, true],
  ["a much slower answer", { prefill: 100, generate: 16 }, true],
])("knows whether %s is told at once", (_, told, isTold) => {
  expect(isNews(told, { prefill: 100, generate: 10 })).toBe(isTold);
});
