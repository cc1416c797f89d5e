import { expect, it } from "vitest";
import { footprintBars } from "./figures.ts";

const atBars = {
  restMb: 90,
  cpuPercent: 0.2,
  contextSwitchesPerSecond: 1_000,
  subprocessesPerMinute: 1,
  bytesPerMinute: 1e9,
};

it("an idle donor meets each bar of footprint at its exact limit", () => {
  expect(footprintBars(atBars).map(({ met }) => met)).toEqual([true, true, true]);
});

it.each([
  ["memory", { restMb: 90.1 }, [false, true, true]],
  ["processor time", { cpuPercent: 0.21 }, [true, false, true]],
  ["subprocesses", { subprocessesPerMinute: 1.5 }, [true, true, false]],
])("an idle donor can miss only the bar of %s", (_, changed, met) => {
  expect(footprintBars({ ...atBars, ...changed }).map((bar) => bar.met)).toEqual(met);
});
