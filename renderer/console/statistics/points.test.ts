import { expect, it } from "vitest";
import { emptyTally } from "../../../app/statistics/tally.ts";
import { seriesOf } from "./points.ts";

const hour = 3_600_000;
const { wait: _wait, run: _run, ...none } = emptyTally();

it("has a point for each time, also when nothing happened", () => {
  const summary = {
    ...none,
    succeeded: 3,
    failed: 1,
    expired: 1,
    wait: { p50: 10, p95: 20, p99: 30 },
    run: null,
    successRate: 0.6,
  };
  const points = [{ startAt: 5 * hour, summary }];
  expect(seriesOf({ points, pointMs: hour }, 4.5 * hour, 6.5 * hour)).toEqual({
    times: [4 * hour, 5 * hour, 6 * hour],
    answered: [0, 3, 0],
    failed: [0, 2, 0],
    waitHalf: [null, 10, null],
    wait: [null, 20, null],
    run: [null, null, null],
  });
});
