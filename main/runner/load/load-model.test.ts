import { expect, it } from "vitest";
import { gpuLayersFor, jobsAtOnce } from "./load-model.ts";

const context = { contextTokens: 4_096, sequences: 2 };
const fitContext = { contextSize: 8_192 };

it("asks the library for the layers that the plan chose, beside the whole context", () => {
  expect(gpuLayersFor("cuda", { ...context, gpuLayers: { least: 29, most: 33 } })).toEqual({
    min: 29,
    max: 33,
    fitContext,
  });
  expect(gpuLayersFor("metal", { ...context, gpuLayers: "auto" })).toEqual({ fitContext });
});

it("puts no layer on a GPU if it computes on the CPU", () => {
  expect(gpuLayersFor("cpu", { ...context, gpuLayers: { least: 29, most: 33 } })).toBe(0);
});

it("runs jobs side by side, but one after another where Vulkan would mix them up", () => {
  expect(jobsAtOnce("cpu", 4)).toBe(4);
  expect(jobsAtOnce("cuda", 4)).toBe(4);
  expect(jobsAtOnce("vulkan", 4)).toBe(1);
});
