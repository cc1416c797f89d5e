import { expect, it } from "vitest";
import type { LoadPlan } from "../../../app/contract/runner.ts";
import { mustUnload } from "./loaded-model.ts";

const model = { modelId: "m", path: "/m", sha256: "0", sizeBytes: 1, contextTokens: 64 };
const plan: LoadPlan = {
  threads: 1,
  contextTokens: 64,
  sequences: 2,
  backends: ["cuda", "cpu"],
  gpuLayers: "auto",
};
const report = { backend: "cuda", contextTokens: 64, sequences: 2 } as const;
const underLimits = (change: Partial<LoadPlan>, fits = true) =>
  mustUnload(
    { model, report },
    { fits: () => fits, fitsRam: () => false, planFor: () => ({ ...plan, ...change }) },
  );

it("keeps a loaded model if the limits allow the same or more", () => {
  expect(underLimits({})).toBe(false);
  expect(underLimits({ contextTokens: 128, sequences: 4 })).toBe(false);
});

it("unloads a model that uses a forbidden GPU or more memory than allowed", () => {
  expect(underLimits({ backends: ["cpu"] })).toBe(true);
  expect(underLimits({ contextTokens: 32 })).toBe(true);
  expect(underLimits({ sequences: 1 })).toBe(true);
  expect(underLimits({}, false)).toBe(true);
});

it("keeps a model in RAM when a GPU becomes free, as long as RAM is large enough", () => {
  const onGpu: LoadPlan = { ...plan, backends: ["cuda"], gpuLayers: { least: 20, most: 33 } };
  const inRam = { ...report, backend: "cpu" } as const;
  const unloads = (fitsRam: boolean) =>
    mustUnload({ model, report: inRam }, { fits: () => true, fitsRam: () => fitsRam, planFor: () => onGpu });
  expect([unloads(true), unloads(false)]).toEqual([false, true]);
});
