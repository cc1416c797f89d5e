import { describe, expect, it } from "vitest";
import { estimatedWatts } from "./estimate.ts";
import { energyMistake, type JobEnergy, sumOfEnergy, wattHoursText } from "./job-energy.ts";

const measured = (microWh: number): JobEnergy => ({ microWh, source: "measured" });

describe("the energy of a job", () => {
  it.each([0, 5_556, 555_555])("may be %i millionths of a watt-hour after a second", (microWh) => {
    expect(energyMistake(measured(microWh), 1_000)).toBeNull();
  });

  it.each([-1, 0.5, 1_200_000, Number.NaN, Infinity])("may not be %d then", (microWh) => {
    expect(energyMistake(measured(microWh), 1_000)).toMatch(/more than a computer can use/);
  });

  it("is written in watt-hours, without a power of ten", () => {
    expect([0, 1, 2_083, 1_000_000, 12_340_000].map((microWh) => wattHoursText({ microWh }))).toEqual([
      "0",
      "0.000001",
      "0.002083",
      "1",
      "12.34",
    ]);
  });

  it("of several jobs is measured only if that of each is", () => {
    expect(sumOfEnergy([measured(1), measured(2)])).toEqual(measured(3));
    expect(sumOfEnergy([measured(1), { microWh: 2, source: "estimated" }])).toEqual({
      microWh: 3,
      source: "estimated",
    });
    expect(sumOfEnergy([measured(1), null])).toBeNull();
    expect(sumOfEnergy([])).toBeNull();
  });
});

describe("the estimated power", () => {
  it("is that of the busy cores, or of the GPU and the core that feeds it", () => {
    expect(estimatedWatts({ threads: 8, busyShare: 0.5, gpu: "none" })).toBe(26);
    expect(estimatedWatts({ threads: 8, busyShare: 1, gpu: "integrated" })).toBe(21.5);
    expect(estimatedWatts({ threads: 8, busyShare: 1, gpu: "card" })).toBe(81.5);
  });
});
