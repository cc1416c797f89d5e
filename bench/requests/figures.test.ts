import { expect, it } from "vitest";
import { requestBars } from "./figures.ts";
import { beside } from "./minutes.ts";

const figures = {
  ttftOverheadP50: 500,
  overheadP50: 40,
  callsPerStreamedMinute: 240,
  callsPerWaitingMinute: 30,
  batchLinesPerSecond: 1,
  memoryGrowthMb: 60,
  memoryPeakMb: 60,
};

const missed = (changed: Partial<typeof figures>): number =>
  requestBars({ ...figures, ...changed }).filter(({ met }) => !met).length;

it("each bar is met at its bound, and missed beyond it", () => {
  expect(missed({})).toBe(0);
  expect(missed({ overheadP50: 40.1 })).toBe(1);
  expect(missed({ callsPerStreamedMinute: 241, callsPerWaitingMinute: 31, memoryGrowthMb: 61 })).toBe(3);
  expect(missed({ memoryPeakMb: 60.1 })).toBe(1);
});

it("the runs that a quiet minute has anyway do not count", () => {
  const calls = { total: 9, byFunction: { cron: 2, both: 4, own: 3 } };
  const quiet = { total: 4, byFunction: { cron: 3, both: 1 } };
  expect(beside(calls, quiet)).toEqual({ total: 6, byFunction: { both: 3, own: 3 } });
});
