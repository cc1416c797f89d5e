import { describe, expect, it } from "vitest";
import {
  addSums,
  clampedTotals,
  deviceTotals,
  maxMinutes,
  noSums,
  sayCaveats,
  sayPreview,
  sayProgress,
  sumsOf,
} from "./totals.ts";

const replayed = { recorded: 7_200_000, happened: 3_600_000, donated: 3_540_000, spans: 2, unsure: 0 };
const totals = deviceTotals(replayed, { ...replayed, donated: 0, spans: 0 });

describe("a device's answer", () => {
  it("has whole minutes, and none without a record", () => {
    expect(totals).toEqual({
      recorded: 120,
      happened: 60,
      now: 59,
      draft: 0,
      nowSpans: 2,
      draftSpans: 0,
      unsure: 0,
    });
    expect(deviceTotals(replayed, { ...replayed, recorded: 10_000 })).toBeNull();
  });

  it("is bounded by what can be true", () => {
    const wild = {
      recorded: 1e9,
      happened: Number.NaN,
      now: -5,
      draft: 1e9,
      nowSpans: 0.6,
      draftSpans: 1e12,
      unsure: 3,
    };
    expect(clampedTotals(wild)).toEqual({
      recorded: maxMinutes,
      happened: 0,
      now: 0,
      draft: maxMinutes,
      nowSpans: 1,
      draftSpans: maxMinutes * 60,
      unsure: 3,
    });
  });

  it("counts the devices that never donate, and apart those without a record", () => {
    const sums = [sumsOf(totals), sumsOf(null), sumsOf(totals)].reduce(addSums, noSums);
    expect(sums).toMatchObject({ devices: 2, withoutRecord: 1, now: 118, draftNever: 2, nowNever: 0 });
  });
});

describe("the words of a preview", () => {
  const sums = { ...noSums, devices: 41, now: 220 * 60, draft: 312 * 60, draftNever: 9 };

  it("say what the draft would have changed", () => {
    expect(sayPreview(sums)).toBe(
      "With this draft 41 devices would have given 312\u00a0h instead of 220\u00a0h in the last 7 days; 9 would never donate.",
    );
    expect(sayPreview({ ...noSums, devices: 1, now: 90, draft: 90 })).toBe(
      "With this draft 1 device would have given 1.5\u00a0h in the last 7 days, as with the rules in force; each would have donated.",
    );
    expect(sayPreview(noSums)).toBeNull();
  });

  it("say how many devices answered, and why others did not", () => {
    const fleet = { online: 38, offline: 3 };
    expect(sayProgress({ isOpen: true, fleet: null, sums: noSums })).toBe("Asking the devices…");
    expect(sayProgress({ isOpen: true, fleet, sums: { ...noSums, devices: 38 } })).toBe(
      "38 of 41 devices answered; 3 are offline.",
    );
    expect(sayProgress({ isOpen: true, fleet, sums: { ...noSums, devices: 30, withoutRecord: 7 } })).toBe(
      "37 of 41 devices answered; 3 are offline; 1 has not answered yet.",
    );
    expect(sayProgress({ isOpen: false, fleet, sums: { ...noSums, devices: 36 } })).toBe(
      "36 of 41 devices answered; 3 are offline; 2 did not answer and may have an older version of Gleaner.",
    );
    expect(sayProgress({ isOpen: true, fleet: { online: 0, offline: 0 }, sums: noSums })).toBe(
      "No device follows these rules.",
    );
  });

  it("say how far the numbers can be trusted", () => {
    expect(sayCaveats({ ...sums, withoutRecord: 2, recorded: 6_000, happened: 600, unsure: 60 })).toEqual([
      "The devices recorded 100\u00a0h of these days. In fact they gave 10\u00a0h.",
      "2 devices have no record yet and are not counted.",
      "For 1\u00a0h the draft needs facts that the devices did not record, since no rule needed them then.",
    ]);
    expect(sayCaveats(noSums)).toEqual([]);
  });
});
