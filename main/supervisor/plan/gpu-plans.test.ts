import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { ModelFile } from "../../../app/contract/runner.ts";
import { silentLog } from "../../log.ts";
import { largeModel, mb } from "./figures.fixture.ts";
import { ModelKnowledge } from "./model-knowledge.ts";
import { ModelPlans } from "./model-plans.ts";

const model: ModelFile = {
  modelId: "large",
  path: "/large",
  sha256: "a".repeat(64),
  sizeBytes: 4_900_000_000,
  contextTokens: 4_096,
};
const withGpu = { gpu: true, deniedGpus: [], memoryMb: null };
const limitsWithout = { ...withGpu, gpu: false };

let ramMb: number;
let vramMb: number | null;
let looks: number;
let inspected: number;

beforeEach(() => {
  // 2 GB of RAM and 8 GB of a GPU's memory are free. A share of each stays free.
  ramMb = 1_740;
  vramMb = 7_680;
  looks = 0;
  inspected = 0;
});

async function plansOn(
  machine: { readonly platform: NodeJS.Platform; readonly arch: string } = { platform: "linux", arch: "x64" },
  figures = largeModel,
): Promise<ModelPlans> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-gpu-plans-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const knowledge = await ModelKnowledge.open(join(folder, "models.json"), silentLog);
  onTestFinished(() => knowledge.close());
  if (figures !== largeModel) knowledge.setFigures(model.sha256, figures);
  const plans = new ModelPlans({
    knowledge,
    inspect: () => {
      inspected += 1;
      return Promise.resolve(largeModel);
    },
    memoryBytes: () => ramMb * mb,
    vramMb: () => vramMb,
    lookAtGpu: async () => {
      looks += 1;
    },
    threads: 2,
    log: silentLog,
    ...machine,
  });
  plans.setLimits(withGpu, []);
  await plans.learn([model]);
  return plans;
}

it("offers a model that fits only into the GPU's memory, and plans no load into RAM", async () => {
  const plans = await plansOn();
  expect([plans.fits(model), plans.needsGpu(model)]).toEqual([true, true]);
  expect(plans.contextTokens(model)).toBe(4_096);
  expect(plans.planFor(model)).toMatchObject({
    backends: ["cuda", "vulkan"],
    gpuLayers: { least: 29, most: 33 },
    contextTokens: 4_096,
    sequences: 2,
  });
});

it("uses the GPU for a model that also fits into RAM, and may fall back to the CPU", async () => {
  ramMb = 6_200;
  const plans = await plansOn();
  expect(plans.needsGpu(model)).toBe(false);
  expect(plans.planFor(model)).toMatchObject({
    backends: ["cuda", "vulkan", "cpu"],
    gpuLayers: { least: 0, most: 33 },
  });
});

it.each<readonly [string, () => void]>([
  ["is used by other programs, or is unknown", () => (vramMb = null)],
  ["has too little free memory", () => (vramMb = 512)],
])("does not offer such a model while the GPU %s", async (_, change) => {
  change();
  const plans = await plansOn();
  expect(plans.fits(model)).toBe(false);
  // Once the GPU is free, the next attempt finds out.
  vramMb = 7_680;
  expect(await plans.learn([model])).toBe(true);
  expect([plans.fits(model), looks]).toEqual([true, 2]);
});

it("withdraws such a model when the limits forbid the GPU, and when its memory is gone", async () => {
  const plans = await plansOn();
  plans.setLimits(limitsWithout, [model]);
  expect([plans.fits(model), plans.vramMb]).toEqual([false, null]);
  plans.setLimits(withGpu, [model]);
  expect([plans.fits(model), plans.vramMb]).toEqual([true, 7_680]);
  vramMb = null;
  plans.gpuChanged([model]);
  expect([plans.fits(model), plans.vramMb]).toEqual([false, null]);
});

it("does not look at a GPU that the limits forbid", async () => {
  const plans = await plansOn();
  plans.setLimits(limitsWithout, [model]);
  await plans.learn([model]);
  expect(looks).toBe(1);
});

it("counts the memory of Apple's processors only once", async () => {
  const plans = await plansOn({ platform: "darwin", arch: "arm64" });
  expect([plans.fits(model), plans.vramMb]).toEqual([false, null]);
  ramMb = 6_000;
  plans.setLimits(withGpu, [model]);
  expect(plans.planFor(model)).toMatchObject({ backends: ["metal", "cpu"], gpuLayers: "auto" });
});

it("tells whether a model that was loaded into RAM still fits there", async () => {
  ramMb = 6_200;
  const plans = await plansOn();
  const loaded = { contextTokens: 4_096, sequences: 2 };
  expect(plans.fitsRam(model, loaded)).toBe(true);
  ramMb = 6_000;
  plans.setLimits(withGpu, [model]);
  expect(plans.fitsRam(model, loaded)).toBe(false);
});

it("keeps a plan that still fits, and uses a GPU that becomes free", async () => {
  ramMb = 6_200;
  vramMb = null;
  const plans = await plansOn();
  expect(plans.planFor(model).gpuLayers).toBe("auto");
  vramMb = 7_680;
  plans.gpuChanged([model]);
  expect(plans.planFor(model).gpuLayers).toEqual({ least: 0, most: 33 });
  vramMb = 7_168;
  plans.gpuChanged([model]);
  expect(plans.planFor(model).gpuLayers).toEqual({ least: 0, most: 33 });
  vramMb = 4_096;
  plans.gpuChanged([model]);
  expect(plans.planFor(model).gpuLayers).toEqual({ least: 0, most: 17 });
});

it("does not offer a model for a while whose load the GPU refused", async () => {
  const plans = await plansOn();
  plans.gpuRefused(model);
  expect(plans.fits(model)).toBe(false);
  await plans.learn([model]);
  expect(plans.fits(model)).toBe(false);
});

it("does not offer it for a while after two crashes with each backend that has worked", async () => {
  const plans = await plansOn();
  for (const backend of ["cuda", "vulkan"] as const) plans.usedBackend(model.sha256, backend, "worked");
  for (const backend of ["cuda", "cuda", "vulkan", "vulkan"] as const) {
    expect(plans.fits(model)).toBe(true);
    plans.usedBackend(model.sha256, backend, "crashed");
  }
  expect(plans.fits(model)).toBe(false);
});

it("inspects a model again whose split was not counted by an earlier version", async () => {
  const { gpu: _gpu, ...before } = largeModel;
  const plans = await plansOn(undefined, before);
  expect([inspected, plans.fits(model)]).toEqual([1, true]);
});
