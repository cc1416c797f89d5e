import { expect, it } from "vitest";
import { memoryNeed } from "./memory-need.ts";

const gibibyte = 2 ** 30;

it("adds the file, a usual context and the program", () => {
  const model = { sizeBytes: 2.5 * gibibyte, contextTokens: 131_072, contextBytesPerToken: 147_456 };
  const exactly = (2.5 + 1.125) * gibibyte + 400 * 2 ** 20;
  expect(memoryNeed(model)).toBe(Math.ceil(exactly / 1e8) * 1e8);
});

it("counts no more context than the model has", () => {
  const model = { sizeBytes: 0, contextTokens: 100, contextBytesPerToken: 1_000_000 };
  const longer = { ...model, contextTokens: 200 };
  expect(memoryNeed(longer) - memoryNeed(model)).toBe(100_000_000);
});
