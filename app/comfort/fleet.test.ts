import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  comfortTarget,
  countHours,
  mainPart,
  mergeComfort,
  mostUneasy,
  noComfort,
  objectiveOf,
} from "./fleet.ts";
import { breaks, comfortableHour } from "./hour.fixture.ts";
import { comfortParts } from "./judge.ts";

const reported = fc.record({
  deviceId: fc.constantFrom("a", "b", "c"),
  hour: fc
    .option(fc.constantFrom(...comfortParts))
    .map((part) => comfortableHour(0, part === null ? {} : breaks[part])),
});

describe("the comfort of a fleet", () => {
  it("counts hours, those that kept every promise, and the worst devices", () => {
    const counts = countHours([
      { deviceId: "a", hour: comfortableHour() },
      { deviceId: "b", hour: comfortableHour(1, { ...breaks.heat, ...breaks.yields }) },
      { deviceId: "b", hour: comfortableHour(2, breaks.heat) },
      { deviceId: "c", hour: comfortableHour(1, breaks.delay) },
      { deviceId: "c", hour: comfortableHour(1, { ...breaks.battery, donatedSeconds: 59 }) },
    ]);
    expect(counts).toMatchObject({
      hours: 4,
      keptHours: 1,
      broken: { yields: 1, delay: 1, heat: 2, battery: 0 },
      worst: [
        { deviceId: "b", brokenHours: 2 },
        { deviceId: "c", brokenHours: 1 },
      ],
    });
    expect(mainPart(counts.worst[0]!.broken)).toBe("heat");
  });

  it("merges counts of parts to those of all hours", () => {
    fc.assert(
      fc.property(fc.array(reported), fc.array(reported), (one, other) => {
        expect(mergeComfort([countHours(one), countHours(other)])).toEqual(countHours([...one, ...other]));
      }),
    );
  });

  it("tells a bounded number of devices apart", () => {
    const all = Array.from({ length: mostUneasy + 30 }, (_, at) => ({
      deviceId: `d${String(at)}`,
      hour: comfortableHour(0, breaks.heat),
    }));
    const worse = [...all, { deviceId: "d79", hour: comfortableHour(1, breaks.heat) }];
    const { worst, broken } = countHours(worse);
    expect(worst).toHaveLength(mostUneasy);
    expect([worst[0]?.deviceId, broken.heat]).toEqual(["d79", mostUneasy + 31]);
  });

  it("finds the worst of many devices, though they are counted hour by hour", () => {
    const others = Array.from({ length: 300 }, (_, at) => ({
      deviceId: `a${String(at)}`,
      hour: comfortableHour(0, breaks.heat),
    }));
    let day = countHours(others);
    for (let at = 0; at < 24; at += 1) {
      const worst = { deviceId: "z", hour: comfortableHour(at, breaks.heat) };
      day = mergeComfort([day, countHours([worst])]);
    }
    expect(day.worst[0]).toMatchObject({ deviceId: "z", brokenHours: 24 });
  });

  it("keeps the objective while enough hours keep the promises", () => {
    expect(objectiveOf(noComfort())).toBeNull();
    expect(objectiveOf({ hours: 100, keptHours: 99 })).toEqual({ share: comfortTarget, isKept: true });
    expect(objectiveOf({ hours: 100, keptHours: 98 })?.isKept).toBe(false);
  });
});
