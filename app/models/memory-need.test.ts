import { expect, it } from "vitest";
import { memoryNeed } from "./memory-need.ts";

const gibibyte = 2 ** 30;

it("adds the file, a usual context and the program", () => {
  const model = { sizeBytes: 2.5 * gibibyte, contextTokens: 131_072, contextBytesPerToken: 147_456 };
  expect(memoryNeed(model) / gibibyte).toBeCloseTo(2.5 + 1.125 + 0.39, 2);
});

it("counts no more context than the model has", () => {
  const model = { sizeBytes: 0, contextTokens: 100, contextBytesPerToken: 1_000 };
  const longer = { ...model, contextTokens: 200 };
  expect(memoryNeed(longer) - memoryNeed(model)).toBe(100_000);
});
