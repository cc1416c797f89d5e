import { expect, it } from "vitest";
import { inferenceBars } from "./figures.ts";

const of = (n: number, farm: number, direct: number) => ({ n, farm, direct, ratio: farm / direct });
const met = (sequences: readonly ReturnType<typeof of>[], prefixSaved = 0.6) =>
  inferenceBars({ sequences, prefixSaved }).map((bar) => bar.met);

it("the farm meets each bar of inference at its exact limit", () => {
  expect(met([of(1, 95, 100), of(2, 190, 200)])).toEqual([true, true, true, true]);
});

it("the farm misses the bar of the ratio below its limit", () => {
  expect(met([of(1, 94, 100)])).toEqual([false, true]);
});

it("the bars require the farm to gain by more sequences only if the library does", () => {
  expect(met([of(1, 100, 100), of(4, 120, 200)])).toEqual([true, false, false, true]);
  expect(met([of(1, 100, 100), of(4, 100, 104)])).toEqual([true, true, true, true]);
});

it("the farm misses the bar of saved tokens below its limit", () => {
  expect(met([], 0.59)).toEqual([false]);
});
