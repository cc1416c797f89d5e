import { describe, expect, it } from "vitest";
import { breaks, comfortableHour } from "./hour.fixture.ts";
import { comfortHour } from "./hour.ts";
import { brokenParts, comfortParts, judgeHour } from "./judge.ts";
import { partWords, sayFan, sayPart } from "./words.ts";

describe("the judgement of an hour", () => {
  it("keeps every promise within its bounds", () => {
    const hour = comfortableHour(0, {
      yieldP95Ms: 250,
      workingDelayMs: 30,
      restingDelayMs: 10,
      hotSeconds: 59,
    });
    expect(judgeHour(hour)).toEqual({ yields: "kept", delay: "kept", heat: "kept", battery: "kept" });
  });

  it.each(comfortParts)("breaks only the promise about %s beyond its bound", (part) => {
    expect(brokenParts(comfortableHour(0, breaks[part]))).toEqual([part]);
  });

  it("does not guess what the computer cannot tell", () => {
    const hour = comfortableHour(0, {
      yieldP95Ms: null,
      restingDelayMs: null,
      hotSeconds: null,
      batteryPercent: null,
    });
    expect(Object.values(judgeHour(hour))).toEqual(["unknown", "unknown", "unknown", "unknown"]);
    expect(comfortParts.map((part) => sayPart(part, hour))).toEqual([
      "Nothing had to stop.",
      "There were too few measurements with a job and without one.",
      "This computer does not tell its temperature.",
      "This computer tells of no battery.",
    ]);
  });

  it("allows battery charge to be spent where the rules do", () => {
    expect(brokenParts(comfortableHour(0, { batteryPercent: 30, mayUseBattery: true }))).toEqual([]);
  });

  it("does not count delays that are as long without a job", () => {
    expect(brokenParts(comfortableHour(0, { workingDelayMs: 200, restingDelayMs: 190 }))).toEqual([]);
  });
});

describe("the words of comfort", () => {
  it("say each measurement in a sentence", () => {
    const hour = comfortableHour(0, { hotSeconds: 90, batteryPercent: 3, donatingFanRpm: 3_200 });
    expect(comfortParts.map((part) => sayPart(part, hour))).toEqual([
      "95 of 100 stops took 120 ms or less.",
      "95 of 100 waits were at most 5 ms longer while a job ran.",
      "Above the temperature limit for 1m 30s.",
      "3% of the charge was spent.",
    ]);
    expect(sayFan(hour)).toBe("3,200 turns a minute while it donated.");
    expect(sayFan({ ...hour, restingFanRpm: 1_800 })).toBe(
      "3,200 turns a minute while it donated, 1,800 otherwise.",
    );
  });

  it("promise what is judged", () => {
    expect(partWords.yields.promise).toContain("250 ms");
    expect(partWords.delay.promise).toContain("20 ms");
  });
});

describe("a stored or reported hour", () => {
  it("is refused with a field that is out of bounds, missing or unknown", () => {
    expect(comfortHour.safeParse(comfortableHour()).success).toBe(true);
    const { donatedSeconds: _donatedSeconds, ...less } = comfortableHour();
    for (const wrong of [
      less,
      { ...comfortableHour(), startAt: 1 },
      { ...comfortableHour(), donatedSeconds: 3_601 },
      { ...comfortableHour(), yieldP95Ms: Number.NaN },
      { ...comfortableHour(), step: 5 },
      { ...comfortableHour(), typedKeys: 7 },
      { ...comfortableHour(), yields: 3 },
    ])
      expect(comfortHour.safeParse(wrong).success).toBe(false);
  });
});
