import { expect, it } from "vitest";
import { interferenceBars, interferenceFigures, leastPairs, type Trial, type Trials } from "./figures.ts";

const trials = (beside: number, count = leastPairs): Trial[] =>
  Array.from({ length: count }, () => ({ before: 100, beside, after: 100 }));
const of = (oneCore: readonly Trial[]): Trials => ({ oneCore, allCores: trials(100), input: trials(100) });

it("a donor meets each bar of interference at its exact limit, which includes the noise", () => {
  const exact = { inUsePercent: 5, afterYieldPercent: 5, noisePercent: 3, pairs: 9 };
  expect(interferenceBars(exact).map(({ met }) => met)).toEqual([true, true]);
  const over = { ...exact, inUsePercent: 5.1 };
  expect(interferenceBars(over).map(({ met }) => met)).toEqual([false, true]);
});

it("the figures report the slowdown of the task that suffers most", () => {
  const figures = interferenceFigures(of(trials(105)), of(trials(100)));
  expect(figures.inUsePercent).toBeCloseTo(5);
  expect(figures.inUse).toMatchObject({ allCores: 0, input: 0 });
  expect(figures).toMatchObject({ noisePercent: 0, afterYieldPercent: 0, pairs: leastPairs });
  expect(interferenceBars(figures).map(({ met }) => met)).toEqual([false, true]);
});

it("the slowdown comes from the median of the pairs, and the quartiles are printed", () => {
  const mixed = [100, 100, 101, 102, 300].flatMap((beside) => trials(beside, 1));
  const figures = interferenceFigures(of(mixed), of(trials(100)));
  expect(figures.inUse.oneCore).toBeCloseTo(1);
  expect(figures.quartiles.inUse.oneCore?.map(Math.round)).toEqual([0, 1, 2]);
});

it("a machine that slows down steadily does not count as interference", () => {
  const drift = Array.from({ length: leastPairs }, () => ({ before: 100, beside: 110, after: 120 }));
  const figures = interferenceFigures(of(drift), of(trials(100)));
  expect(figures.inUsePercent).toBeCloseTo(0);
  expect(figures.noisePercent).toBeGreaterThan(10);
});

it("too few pairs cannot tell, and meet no bar", () => {
  const figures = interferenceFigures(of(trials(100, leastPairs - 1)), of(trials(100)));
  expect(figures).toMatchObject({ inUsePercent: null, noisePercent: null, pairs: leastPairs - 1 });
  expect(interferenceBars(figures).map(({ met }) => met)).toEqual([false, false]);
  expect(interferenceFigures(of([]), of([])).quartiles.inUse.oneCore).toBeNull();
});
