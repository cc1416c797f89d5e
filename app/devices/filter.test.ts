import { describe, expect, it } from "vitest";
import { type FilteredFacts, fitsFilter, fitsRule, reportedTags, type RuleFilter } from "./filter.ts";

const laptop: FilteredFacts = {
  name: "Lab-Laptop 7",
  state: "standby",
  platform: "win32",
  version: "0.3.1",
  groups: ["Lab"],
  models: ["big"],
  changedAt: 1_000,
  memoryMb: 15_870,
  gpus: ["cuda"],
  tags: ["encrypted disk"],
  owner: "team1",
};

describe("a rule", () => {
  it.each<readonly [RuleFilter, boolean]>([
    [{}, true],
    [{ named: "lab-" }, true],
    [{ named: "office" }, false],
    [{ platform: "win32" }, true],
    [{ platform: "linux" }, false],
    [{ fromVersion: "0.3.1" }, true],
    [{ fromVersion: "0.10.0" }, false],
    [{ model: "big" }, true],
    [{ model: "small" }, false],
    // Sold with 16 GB.
    [{ memoryGb: 16 }, true],
    [{ memoryGb: 24 }, false],
    [{ gpu: "any" }, true],
    [{ gpu: "cuda" }, true],
    [{ gpu: "metal" }, false],
    [{ gpu: "none" }, false],
    [{ tag: "encrypted disk" }, true],
    [{ tag: "encrypted" }, false],
    [{ owner: "team1" }, true],
    [{ owner: "team2" }, false],
    [{ platform: "win32", memoryGb: 64 }, false],
  ])("%j fits the laptop: %s", (filter, fits) => {
    expect(fitsRule(laptop, filter)).toBe(fits);
  });

  it("treats unknown facts as missing", () => {
    const { memoryMb: _memory, gpus: _gpus, tags: _tags, owner: _owner, ...unknown } = laptop;
    expect(fitsRule(unknown, { memoryGb: 1 })).toBe(false);
    expect(fitsRule(unknown, { gpu: "none" })).toBe(false);
    expect(fitsRule({ ...unknown, gpus: [] }, { gpu: "none" })).toBe(true);
    expect(fitsRule({ ...unknown, version: "" }, { fromVersion: "0.0.1" })).toBe(false);
  });
});

it("filters a list by the facts that change often, too", () => {
  expect(fitsFilter(laptop, { state: "online", group: "Lab" })).toBe(true);
  expect(fitsFilter(laptop, { version: "0.3.1" })).toBe(true);
  expect(fitsFilter(laptop, { version: "0.3.0" })).toBe(false);
  expect(fitsFilter(laptop, { state: "attention" })).toBe(false);
  expect(fitsFilter({ ...laptop, attention: true, concerns: ["stuck"] }, { concern: "stuck" })).toBe(true);
  expect(fitsFilter(laptop, { changedBefore: 1_000 })).toBe(false);
  expect(fitsFilter(laptop, { gpu: "metal", state: "online" })).toBe(false);
});

it("tells the kinds of GPU from the other tags that a device reports", () => {
  expect(reportedTags(["backend:cpu", "backend:cuda", "fast disk", "grammar:1"])).toEqual({
    gpus: ["cuda"],
    tags: ["fast disk"],
  });
});

describe("the memory for a model", () => {
  const gibibytes = (count: number): number => count * 1_024;
  const device = { ...laptop, memoryMb: gibibytes(16), jobMemoryMb: gibibytes(8) };

  it.each([
    ["with enough for jobs", device, 8.5, true],
    ["with enough for the computer only", device, 8.6, false],
    ["whose memory for jobs is not listed yet", { ...device, jobMemoryMb: undefined }, 17.1, true],
    ["of unknown memory", { ...device, memoryMb: undefined, jobMemoryMb: undefined }, 0.1, false],
  ])(
    "is found on a device %s, or is missing there",
    (_, { jobMemoryMb, memoryMb, ...facts }, gigabytes, fits) => {
      const found = {
        ...facts,
        ...(memoryMb === undefined ? {} : { memoryMb }),
        ...(jobMemoryMb === undefined ? {} : { jobMemoryMb }),
      };
      expect(fitsFilter(found, { fitsGb: gigabytes })).toBe(fits);
      expect(fitsFilter(found, { lacksGb: gigabytes })).toBe(!fits);
    },
  );

  it.each(["pending", "retired"] as const)("matters on no %s device", (state) => {
    expect(fitsFilter({ ...device, state }, { fitsGb: 1 })).toBe(false);
    expect(fitsFilter({ ...device, state }, { lacksGb: 100 })).toBe(false);
  });
});
