import { expect, it } from "vitest";
import { ledgerBars } from "./figures.ts";

const metAt = (ofStream: number, conflictsPerCompletion: number): readonly boolean[] =>
  ledgerBars({
    conflictsPerCompletion,
    completionsPerSecond: 1,
    bytesPerJobKept: 1,
    atTwoHundred: {
      completionsPerSecond: 1,
      conflictsPerCompletion: ofStream,
      rounds: 1,
      completions: 1,
      queueConflicts: 0,
      underWay: { measured: 32, needed: 22 },
    },
  }).map(({ met }) => met);

it("the bars of conflicts are met at their bounds, and missed beyond them", () => {
  expect(metAt(0.02, 0.02)).toEqual([true, true]);
  expect(metAt(0.021, 0.02)).toEqual([false, true]);
  expect(metAt(0.02, 0.021)).toEqual([true, false]);
});
