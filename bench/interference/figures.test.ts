import { expect, it } from "vitest";
import { interferenceBars, interferenceFigures, slowdownPercent, type Tasks } from "./figures.ts";

const tasks = (percent: number): Tasks => {
  const pairs = [{ alone: 100, beside: 100 + percent }];
  return { oneCore: pairs, allCores: [{ alone: 1, beside: 1 }], input: [{ alone: 1, beside: 1 }] };
};

it("a donor meets each bar of interference at its exact limit", () => {
  const figures = interferenceFigures(tasks(2), tasks(2));
  expect(figures.inUsePercent).toBeCloseTo(2);
  const exact = { ...figures, inUsePercent: 2, afterYieldPercent: 2 };
  expect(interferenceBars(exact).map(({ met }) => met)).toEqual([true, true]);
});

it("the figures report the slowdown of the task that suffers most", () => {
  const figures = interferenceFigures(tasks(5), tasks(0));
  expect(figures.inUsePercent).toBeCloseTo(5);
  expect(figures.inUse).toMatchObject({ allCores: 0, input: 0 });
  expect(interferenceBars(figures).map(({ met }) => met)).toEqual([false, true]);
});

it("the slowdown comes from the median of the pairs", () => {
  const pairs = [1, 1.01, 3].map((beside) => ({ alone: 1, beside }));
  expect(slowdownPercent(pairs)).toBeCloseTo(1);
});
