import { expect, it } from "vitest";
import { placementBars, turnaroundOf } from "./figures.ts";
import { drawSpeeds, drawTrace, load, speeds } from "./trace.ts";

const figures = (oursP95: number, addedMs: number) => ({
  turnaround: { ours: { meanMs: 1, p95Ms: oursP95 }, before: { meanMs: 1, p95Ms: 100 } },
  straggler: { expectedMs: 1_000, addedMs },
});

it.each([
  [70, 2_000, [true, true]],
  [71, 2_000, [false, true]],
  [70, 2_001, [true, false]],
])("a 95th percentile of %d %% and %d ms for a straggler of 1 s", (p95, added, met) => {
  expect(placementBars(figures(p95, added)).map((bar) => bar.met)).toEqual(met);
});

it("the turnaround is the mean and the 95th percentile", () => {
  expect(turnaroundOf([1, 2, 3, 10])).toEqual({ meanMs: 4, p95Ms: 10 });
});

it("the trace needs the share of the fleet's speed that it claims", () => {
  const fleet = drawSpeeds(60);
  expect(Math.min(...fleet.map(({ output }) => output))).toBeGreaterThanOrEqual(speeds.least);
  expect(Math.max(...fleet.map(({ output }) => output))).toBeLessThanOrEqual(speeds.most);
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const lastsMs = 1_000_000;
  const tokens = drawTrace(fleet, lastsMs, random).reduce((sum, job) => sum + job.tokens, 0);
  const perSecond = fleet.reduce((sum, { output }) => sum + output, 0);
  // Long jobs are cut, so the share is a little less.
  expect(tokens / (lastsMs / 1_000) / perSecond).toBeGreaterThan(0.85 * load);
  expect(tokens / (lastsMs / 1_000) / perSecond).toBeLessThan(1.05 * load);
});
