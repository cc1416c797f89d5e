import { expect, it } from "vitest";
import { consoleBars, type PageFigures } from "./figures.ts";

const atBars: PageFigures = {
  contentMs: 1_000,
  documentsReadMax: 300,
  mostBy: "console/devices.js:list",
  rerunsPerDeviceChange: 0,
  rerunsPerPayout: 0,
  rerun: [],
};
const metBy = (devices: PageFigures): readonly boolean[] =>
  consoleBars({ pages: { overview: atBars, devices }, matrixCells: 1 }).map(({ met }) => met);

it("pages meet each bar at its exact limit", () => {
  expect(metBy(atBars)).toEqual([true, true, true, true]);
});

it.each([
  ["content", { contentMs: 1_001 }, [false, true, true, true]],
  ["documents", { documentsReadMax: 301 }, [true, false, true, true]],
  ["reruns", { rerunsPerDeviceChange: 1 }, [true, true, false, true]],
  ["payouts", { rerunsPerPayout: 1 }, [true, true, true, false]],
])("one page can miss only the bar of %s, and is named", (_, changed, met) => {
  const devices = { ...atBars, ...changed };
  expect(metBy(devices)).toEqual(met);
  const missed = consoleBars({ pages: { overview: atBars, devices }, matrixCells: 1 }).find(
    (bar) => !bar.met,
  );
  expect(missed?.value).toContain("(devices)");
});
