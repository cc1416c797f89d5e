import { beforeEach, describe, expect, it } from "vitest";
import { BackendFaults } from "./backend-faults.ts";

const minute = 60_000;
let now: number;
let faults: BackendFaults;

beforeEach(() => {
  now = 1_000;
  faults = new BackendFaults(() => now);
});

describe("BackendFaults", () => {
  it("passes over a backend at once that could not load a model which was planned to fit", () => {
    expect(faults.refused("m", "cuda")).toBe(10 * minute);
    expect(faults.isPassedOver("m", "cuda")).toBe(true);
    now += 10 * minute;
    expect(faults.isPassedOver("m", "cuda")).toBe(false);
    expect(faults.refused("m", "cuda")).toBe(20 * minute);
    expect(faults.refused("m", "cpu")).toBe(0);
  });

  it("passes over a backend at once that has never worked", () => {
    expect(faults.crashed("m", "cuda")).toBe(10 * minute);
    expect(faults.isPassedOver("m", "cuda")).toBe(true);
    expect(faults.crashed("m", "cuda")).toBe(20 * minute);
    expect(faults.crashed("n", "cuda")).toBe(10 * minute);
  });

  it("keeps one that has worked after one crash, and passes it over after a second one for a while", () => {
    faults.worked("m", "cuda");
    expect(faults.crashed("m", "cuda")).toBe(0);
    expect(faults.isPassedOver("m", "cuda")).toBe(false);
    expect(faults.crashed("m", "cuda")).toBe(10 * minute);
    expect(faults.isPassedOver("m", "cuda")).toBe(true);
    now += 10 * minute;
    expect(faults.isPassedOver("m", "cuda")).toBe(false);
  });

  it("passes it over twice as long after each further crash, at most for a day", () => {
    faults.worked("m", "cuda");
    const rests = Array.from({ length: 12 }, () => faults.crashed("m", "cuda"));
    expect(rests.slice(0, 5)).toEqual([0, 10, 20, 40, 80].map((minutes) => minutes * minute));
    expect(rests.at(-1)).toBe(24 * 60 * minute);
  });

  it("forgets the crashes of a backend that has completed a job", () => {
    faults.crashed("m", "cuda");
    faults.worked("m", "cuda");
    expect(faults.crashed("m", "cuda")).toBe(0);
  });

  it("knows each model and each backend apart, and never passes over the processor", () => {
    for (let crash = 0; crash < 5; crash += 1) {
      faults.crashed("m", "cuda");
      faults.crashed("m", "cpu");
    }
    expect(faults.isPassedOver("m", "vulkan")).toBe(false);
    expect(faults.isPassedOver("n", "cuda")).toBe(false);
    expect(faults.isPassedOver("m", "cpu")).toBe(false);
  });
});
