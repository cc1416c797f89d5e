import { describe, expect, it } from "vitest";
import {
  defaultPace,
  defaultSizes,
  mistakeInPace,
  mistakeInSizes,
  parseSizes,
  planStages,
  rankOf,
  sizesText,
} from "./stages.ts";

const fleet = (size: number, able: (index: number) => boolean = () => true) =>
  Array.from({ length: size }, (_, index) => ({
    rank: rankOf("m", `device-${String(index)}`),
    able: able(index),
  }));

describe("the rank of a device", () => {
  it("is the same at each call, and another one for another model", () => {
    expect(rankOf("a", "device")).toBe(rankOf("a", "device"));
    expect(rankOf("a", "device")).not.toBe(rankOf("b", "device"));
  });

  it("spreads devices evenly, even if their ids are alike", () => {
    const low = fleet(10_000).filter(({ rank }) => rank < 0.1).length;
    expect(low).toBeGreaterThan(900);
    expect(low).toBeLessThan(1_100);
  });
});

describe("the stages of a roll-out", () => {
  it("take one device, then shares of the fleet, then all", () => {
    const stages = planStages(defaultSizes, fleet(41));
    expect(stages.map(({ devices }) => devices)).toEqual([1, 5, 21, 41]);
    expect(stages.at(-1)?.upTo).toBe(1);
  });

  it("contain the stages before them", () => {
    const ends = planStages(defaultSizes, fleet(100)).map(({ upTo }) => upTo);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });

  it("never become smaller, if a share of the fleet is smaller than the number of devices before it", () => {
    const sizes = parseSizes("5, 10 %, 100 %") ?? [];
    expect(planStages(sizes, fleet(20)).map(({ devices }) => devices)).toEqual([5, 5, 20]);
  });
  it("count devices that are online and have the memory, so that the first stage is no sleeping laptop", () => {
    const devices = fleet(20, (index) => index === 13);
    const [first] = planStages(defaultSizes, devices);
    expect(first?.expected).toBe(1);
    expect(first?.upTo).toBe(devices[13]?.rank);
    expect(first?.devices).toBe(devices.filter(({ rank }) => rank <= (devices[13]?.rank ?? 0)).length);
  });

  it("share out later devices of an empty fleet by their rank", () => {
    expect(planStages(defaultSizes, []).map(({ upTo }) => upTo)).toEqual([0, 0.1, 0.5, 1]);
  });
});

describe("stages as people type them", () => {
  it("are read and written in one form", () => {
    expect(parseSizes("1,10%, 50 %,100 %")).toEqual(defaultSizes);
    expect(sizesText(defaultSizes)).toBe("1, 10%, 50%, 100%");
    expect(parseSizes("1, half")).toBeNull();
    expect(parseSizes("")).toBeNull();
  });

  it.each([
    ["100 %", "2 to 6 stages"],
    ["1, 50 %", "last stage has to be 100%"],
    ["0, 100 %", "at least 1 device"],
    ["10 %, 5, 100 %", "before percents"],
    ["10 %, 10 %, 100 %", "larger than the one before"],
    ["101 %, 100 %", "at most 100%"],
  ])("refuse %s", (typed, why) => {
    expect(mistakeInSizes(parseSizes(typed) ?? [])).toContain(why);
  });

  it("accept the defaults", () => {
    expect(mistakeInSizes(defaultSizes)).toBeNull();
    expect(mistakeInPace(defaultPace)).toBeNull();
    expect(mistakeInPace({ ...defaultPace, minMinutes: -1 })).not.toBeNull();
    expect(mistakeInPace({ ...defaultPace, readyPercent: 0 })).not.toBeNull();
    expect(mistakeInPace({ ...defaultPace, failedPercent: 100 })).not.toBeNull();
  });
});
