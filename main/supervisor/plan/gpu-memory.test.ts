import { expect, it } from "vitest";
import { gpuMemoryForModels } from "./gpu-memory.ts";

const eight = 8_192 * 2 ** 20;

it("leaves a share of the GPU's free memory to other programs", () => {
  expect(gpuMemoryForModels({ backends: ["cuda", "vulkan", "cpu"], freeMb: 8_192 })).toBe(
    Math.floor(eight * 0.85),
  );
});

it.each([
  ["a GPU that may not be used", { backends: ["cpu"], freeMb: 8_192 }],
  ["memory that is unknown", { backends: ["cuda", "cpu"], freeMb: null }],
  ["memory that the GPU shares with the processor", { backends: ["metal", "cpu"], freeMb: 8_192 }],
] as const)("does not count %s", (_, gpu) => {
  expect(gpuMemoryForModels(gpu)).toBeNull();
});
