import { describe, expect, it } from "vitest";
import { chooseSequences, chooseThreads, runnerCores } from "./parallelism.ts";

describe("chooseThreads", () => {
  it.each([
    [1, 1, 1],
    [2, 2, 1],
    [4, 8, 3],
    [8, 4, 3],
    [0, 0, 1],
  ])("chooses threads for %i physical and %i usable cores: %i", (physical, usable, expected) => {
    expect(chooseThreads(physical, usable)).toBe(expected);
  });

  it.each([
    ["2", 2],
    ["0", 3],
    ["-1", 3],
    ["many", 3],
    ["1.5", 3],
    ["", 3],
    ["999", 3],
  ])("chooses threads with the override %j: %i", (override, expected) => {
    expect(chooseThreads(4, 8, override)).toBe(expected);
  });
});

describe("runnerCores", () => {
  it.each([
    ["darwin", { physical: 8, efficiency: 4 }, 4],
    ["darwin", { physical: 6, efficiency: 0 }, 6],
    ["linux", { physical: 14, efficiency: 8 }, 14],
    ["win32", { physical: 4, efficiency: 0 }, 4],
    ["darwin", { physical: null, efficiency: null }, null],
  ] as const)("counts the usable cores on %s of %j: %i", (platform, cpu, cores) => {
    expect(runnerCores(platform, cpu)).toBe(cores);
  });
});

describe("chooseSequences", () => {
  it.each([
    [1, undefined, 1],
    [2, undefined, 2],
    [8, undefined, 4],
    [1, "3", 3],
    [1, "0", 1],
    [1, "17", 1],
    [1, "many", 1],
  ])("chooses sequences for %i threads with the override %s: %i", (threads, override, sequences) => {
    expect(chooseSequences(threads, override)).toBe(sequences);
  });
});
