import { describe, expect, it } from "vitest";
import { CrashBackoff, crashBackoffMs } from "../supervisor/crash-backoff.ts";
import { parseFromRunner, parseToRunner } from "../supervisor/messages.ts";
import { chooseThreads, runnerCores } from "../supervisor/plan/parallelism.ts";
import { PrefillSlices } from "./generate/prefill-slices.ts";
import { chat } from "./runner.fixture.ts";

describe("chooseThreads", () => {
  it.each([
    [1, 1, 1],
    [2, 2, 1],
    [4, 8, 3],
    [8, 4, 3],
    [0, 0, 1],
  ])("%i physical, %i usable → %i", (physical, usable, expected) => {
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
  ])("override %j → %i", (override, expected) => {
    expect(chooseThreads(4, 8, override)).toBe(expected);
  });
});

describe("runnerCores", () => {
  const m1 = { physicalCores: 8, performanceCores: 4, efficiencyCores: 4 };
  it.each([
    ["darwin", m1, 4],
    ["darwin", { physicalCores: 6, efficiencyCores: 0 }, 6],
    ["linux", { physicalCores: 14, efficiencyCores: 8 }, 14],
    ["win32", { physicalCores: 4 }, 4],
    ["linux", null, 0],
  ] as const)("on %s, of %j: %i", (platform, cpu, cores) => {
    expect(runnerCores(platform, cpu)).toBe(cores);
  });
});

describe("crashBackoffMs", () => {
  it("doubles from a second to five minutes", () => {
    expect([1, 2, 3, 9, 10, 60].map(crashBackoffMs)).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
  });
});

describe("CrashBackoff", () => {
  it("counts crashes in a row: one after a job that ended well is the first again", () => {
    const backoff = new CrashBackoff();
    expect(backoff.restMs).toBe(0);
    expect([backoff.crashed(), backoff.crashed(), backoff.crashed()]).toEqual([1_000, 2_000, 4_000]);
    expect(backoff.crashes).toBe(3);
    backoff.succeeded();
    expect(backoff.crashed()).toBe(1_000);
    expect(backoff.crashes).toBe(1);
  });
});

describe("PrefillSlices", () => {
  it("grows on a fast machine and shrinks on a slow one, within 32 and 256", () => {
    const slices = new PrefillSlices();
    for (let i = 0; i < 10; i++) slices.measured(slices.size, 1);
    expect(slices.size).toBe(256);
    for (let i = 0; i < 10; i++) slices.measured(slices.size, 1_000);
    expect(slices.size).toBe(32);
  });

  it("comes within a step of what takes 350 ms, and stays there", () => {
    const slices = new PrefillSlices();
    const sizes = Array.from({ length: 6 }, () => {
      slices.measured(slices.size, slices.size / 0.5);
      return slices.size;
    });
    expect(sizes).toEqual([64, 128, 160, 160, 160, 160]);
  });

  it("is swung by one odd measurement by half at most", () => {
    const slices = new PrefillSlices();
    for (let i = 0; i < 10; i++) slices.measured(slices.size, 1);
    slices.measured(slices.size, 60_000);
    expect(slices.size).toBe(128);
  });
});

describe("the runner's messages", () => {
  const model = { modelId: "m", path: "/m", sha256: "0".repeat(64), sizeBytes: 1, contextTokens: 512 };
  const plan = {
    threads: 1,
    contextTokens: 512,
    sequences: 2,
    backends: ["cpu"],
    gpuLayers: "auto",
    measure: true,
  };
  const request = chat("hi");
  const run = { type: "run", attemptId: "a", model, work: { kind: "chat", request }, plan };

  it("are taken when they keep the contract", () => {
    expect(parseToRunner(run)).toEqual(run);
    expect(parseFromRunner({ type: "text", attemptId: "a", text: "b" })).not.toBeNull();
  });

  it.each([
    null,
    "run",
    { type: "execute" },
    { ...run, plan: { ...plan, threads: 0 } },
    { ...run, plan: { ...plan, sequences: 0 } },
    { ...run, work: { kind: "poem", request } },
    { type: "limit", threads: 1, dutyCycle: -0.1 },
    { ...run, model: { ...model, sha256: "x" } },
    { ...run, work: { kind: "chat", request: { ...request, maxTokens: 1e9 } } },
    { ...run, work: { kind: "chat", request: { ...request, messages: [] } } },
  ])("are refused when they do not: %j", (message) => {
    expect(parseToRunner(message)).toBeNull();
  });
});
