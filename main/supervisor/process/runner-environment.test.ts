import { expect, it } from "vitest";
import { gpuEnvironment } from "./runner-environment.ts";

it("changes nothing where every GPU may be used", () => {
  expect(gpuEnvironment([])).toEqual({});
});

it("names the GPUs that may be used, in the order of the bus", () => {
  const { CUDA_DEVICE_ORDER, CUDA_VISIBLE_DEVICES } = gpuEnvironment([1, 2]);
  expect(CUDA_DEVICE_ORDER).toBe("PCI_BUS_ID");
  expect(CUDA_VISIBLE_DEVICES).toMatch(/^0,3,4,/);
  expect(gpuEnvironment([0])["CUDA_VISIBLE_DEVICES"]).toMatch(/^1,2,/);
});
