import { join } from "node:path";
import { expect, it } from "vitest";
import { cudaEnvironment, gpuEnvironment } from "./runner-environment.ts";

it("changes nothing if every GPU is allowed", () => {
  expect(gpuEnvironment([])).toEqual({});
});

it("names the allowed GPUs, in the order of the bus", () => {
  const { CUDA_DEVICE_ORDER, CUDA_VISIBLE_DEVICES } = gpuEnvironment([1, 2]);
  expect(CUDA_DEVICE_ORDER).toBe("PCI_BUS_ID");
  expect(CUDA_VISIBLE_DEVICES).toMatch(/^0,3,4,/);
  expect(gpuEnvironment([0])["CUDA_VISIBLE_DEVICES"]).toMatch(/^1,2,/);
});

it("looks for CUDA beside the device's key, or in the folder that the environment names", () => {
  expect(cudaEnvironment("/data", {})).toEqual({ GLEANER_CUDA: join("/data", "cuda") });
  expect(cudaEnvironment("/data", { GLEANER_CUDA: "/opt/cuda" })).toEqual({ GLEANER_CUDA: "/opt/cuda" });
});
