import { describe, expect, it } from "vitest";
import { defaultLimits } from "./honest-replays.ts";
import { replayResult } from "./replay.ts";
import { tokensOfVector, vectorFit } from "./vector-fit.ts";
import { verdictOf } from "./verdict.ts";

const east = [1, 0, 0];
const north = [0, 1, 0];
const nearlyEast = [0.9999, 0.01, 0];

const verdict = (given: readonly (readonly number[])[], own: readonly (readonly number[])[]) =>
  verdictOf(vectorFit(given, own), defaultLimits);

describe("the vectors of an answer", () => {
  it("fit if they have nearly the same directions, of any length", () => {
    expect(vectorFit([[2, 0, 0]], [east])).toMatchObject({ tokens: tokensOfVector, regret: 0, misses: 0 });
    expect(vectorFit([nearlyEast], [east]).regret).toBeLessThan(0.001);
    expect(verdict([nearlyEast, north], [east, north])).toBe("fits");
  });

  it("are a mismatch if one of them has another direction", () => {
    expect(vectorFit([north], [east])).toMatchObject({ regret: 10, misses: 10, impossible: 10 });
    expect(verdict([north], [east])).toBe("mismatch");
    const eight = Array.from({ length: 8 }, () => east);
    expect(verdict([...eight.slice(1), north], eight)).toBe("mismatch");
  });

  it.each([
    ["another length", [1, 0]],
    ["no direction", [0, 0, 0]],
    ["numbers that are none", [Number.NaN, 0, 0]],
    ["no numbers", []],
  ])("are a mismatch with %s", (_, vector) => {
    expect(verdict([vector], [east])).toBe("mismatch");
    expect(verdict([], [east])).toBe("mismatch");
  });

  it("have counts that the backend accepts", () => {
    for (const given of [east, north, nearlyEast, [-1, 0, 0], [0.5, 0.5, 0.7]]) {
      const result = {
        replay: vectorFit([given, north], [east, north]),
        usage: { promptTokens: 3, completionTokens: 0 },
        timing: { prefillMs: 1, generateMs: 0 },
      };
      expect(replayResult.safeParse(result).success).toBe(true);
    }
  });
});
