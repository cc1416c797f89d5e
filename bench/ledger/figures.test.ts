import { expect, it } from "vitest";
import { ledgerBars } from "./figures.ts";

const metAt = (conflictsPerCompletion: number): readonly boolean[] =>
  ledgerBars({ conflictsPerCompletion, completionsPerSecond: 1, bytesPerJobKept: 1 }).map(({ met }) => met);

it("the bar of conflicts is met at its bound, and missed beyond it", () => {
  expect(metAt(0.02)).toEqual([true]);
  expect(metAt(0.021)).toEqual([false]);
});
