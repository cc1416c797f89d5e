import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ringSize, slotsFor } from "../placement.ts";
import { estimateCount, fittingSlots } from "./resize.ts";

describe("estimateCount", () => {
  it.each([
    ["none", 5, [], 4, 0],
    ["all of a small ring", 5, [7, 9], 4, 2],
    ["one in four thousand points", 0, [4_096, 8_192], 2, 16],
    ["around the end", ringSize - 1_024, [0, 1_024], 2, 64],
    ["those of a ring of just so many", 5, [7, 9, 5], 3, 3],
    ["as many as there are, at one position", 5, [5, 5], 2, 2],
  ])("estimates the size of %s", (_, from, positions, wanted, count) => {
    expect(estimateCount(from, positions, wanted)).toBe(count);
  });
});

describe("slotsFor", () => {
  it("the number of slots is a power of two, and at most the number of workers", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000 }), (workers) => {
        const slots = slotsFor(workers);
        expect(Math.log2(slots) % 1).toBe(0);
        expect(slots).toBeLessThanOrEqual(Math.max(1, workers));
        expect(slots * 2 > workers || slots === 16_384).toBe(true);
      }),
    );
  });
});

describe("fittingSlots", () => {
  it.each([
    [16, 16, 16],
    [16, 31, 16],
    [16, 32, 32],
    [16, 64, 64],
    [16, 8, 16],
    [16, 7, 4],
    [2, 1, 1],
    [1, 0, 1],
    [16_384, 1_000_000, 16_384],
  ])("a lane with %i slots and %i workers should have %i slots", (slots, workers, fitting) => {
    expect(fittingSlots(slots, workers)).toBe(fitting);
  });
});
