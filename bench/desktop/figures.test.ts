import { expect, it } from "vitest";
import { desktopBars } from "./figures.ts";

const installedMb = { total: 300, electron: 200, locales: 10, app: 20, libraries: 70 };
const atBars = {
  trayMs: 1_500,
  windowMs: 500,
  restPssMb: 120,
  openPssMb: 1e9,
  cpuPercent: 0.2,
  wakeupsPerSecond: 1e9,
  installedMb,
};

it("the desktop program meets each bar at its exact limit", () => {
  expect(desktopBars(atBars).map(({ met }) => met)).toEqual([true, true, true, true]);
});

it.each([
  ["the tray", { trayMs: 1_501 }, [false, true, true, true]],
  ["the window", { windowMs: 501 }, [true, false, true, true]],
  ["memory", { restPssMb: 120.1 }, [true, true, false, true]],
  ["processor time", { cpuPercent: 0.21 }, [true, true, true, false]],
])("the desktop program can miss only the bar of %s", (_, changed, met) => {
  expect(desktopBars({ ...atBars, ...changed }).map((bar) => bar.met)).toEqual(met);
});
