import { expect, it } from "vitest";
import { costBars, type CostFigures } from "./figures.ts";

const good: CostFigures = {
  callsPerJob: 3,
  docsWrittenPerJob: 9,
  docsWrittenPerWorkingHour: 360,
  rerunsPerHeartbeat: 0,
  callsPerIdleHour: 60,
  bytesPerTokenAt100: 100,
  bytesPerTokenAt1000: 120,
  queryRunsPerJob: 1,
  scheduledRunsPerJob: 0,
  callsPerWorkingHour: 240,
  scheduledRunsPerWorkingHour: 90,
  bytesPerFurtherToken: 120,
  cpuMsPerJob: { all: 4.55, backend: 3.55, workers: 0.7, submitter: 0.3 },
};
const baseline: CostFigures = {
  ...good,
  docsWrittenPerWorkingHour: 720,
  cpuMsPerJob: { all: 10, backend: 8, workers: 1, submitter: 1 },
};

it("the queue meets each bar of cost at its exact limit", () => {
  expect(costBars(good, baseline).every(({ met }) => met)).toBe(true);
});

it.each([
  [{ callsPerJob: 3.01 }, 0],
  [{ docsWrittenPerWorkingHour: 361 }, 1],
  [{ rerunsPerHeartbeat: 0.01 }, 2],
  [{ callsPerIdleHour: 61 }, 3],
  [{ bytesPerTokenAt1000: 121 }, 4],
  [{ cpuMsPerJob: { all: 4.65, backend: 3.65, workers: 0.7, submitter: 0.3 } }, 5],
  [{ cpuMsPerJob: null }, 5],
])("a queue with %j misses only bar %d of cost", (change, missed) => {
  expect(costBars({ ...good, ...change }, baseline).map(({ met }) => met)).toEqual(
    [0, 1, 2, 3, 4, 5].map((n) => n !== missed),
  );
});
