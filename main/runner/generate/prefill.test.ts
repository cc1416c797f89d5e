import { describe, expect, it } from "vitest";
import { PrefillSlices } from "./prefill.ts";

describe("PrefillSlices", () => {
  it("grows on a fast machine and shrinks on a slow one, from 32 to 256", () => {
    const slices = new PrefillSlices();
    for (let i = 0; i < 10; i++) slices.measured(slices.size, 1);
    expect(slices.size).toBe(256);
    for (let i = 0; i < 10; i++) slices.measured(slices.size, 1_000);
    expect(slices.size).toBe(32);
  });

  it("begins with the given size", () => {
    expect(new PrefillSlices(512, 64).size).toBe(64);
  });

  it("settles within a step of a size that takes 350 ms", () => {
    const slices = new PrefillSlices();
    const sizes = Array.from({ length: 6 }, () => {
      slices.measured(slices.size, slices.size / 0.5);
      return slices.size;
    });
    expect(sizes).toEqual([64, 128, 160, 160, 160, 160]);
  });

  it("changes by half at most after a single odd measurement", () => {
    const slices = new PrefillSlices();
    for (let i = 0; i < 10; i++) slices.measured(slices.size, 1);
    slices.measured(slices.size, 60_000);
    expect(slices.size).toBe(128);
  });
});
