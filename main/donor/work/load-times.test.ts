import { expect, it } from "vitest";
import { LoadTimes } from "./load-times.ts";

const model = (sha256: string, sizeBytes: number) => ({ sha256, sizeBytes });
const small = model("small", 1_000);
const large = model("large", 8_000);

it("knows nothing before a model was loaded", () => {
  expect(new LoadTimes().expectedMs(small)).toBeNull();
});

it("expects a model's own last time", () => {
  const times = new LoadTimes();
  times.note(large, 9_000);
  times.note(small, 2_000);
  times.note(small, 1_500);
  expect(times.expectedMs(small)).toBe(1_500);
});

it("expects a model that was not loaded yet by the longest load and the sizes of the files", () => {
  const times = new LoadTimes();
  times.note(small, 2_000);
  times.note(large, 4_000);
  expect(times.expectedMs(model("new", 16_000))).toBe(8_000);
  expect(times.expectedMs(model("tiny", 100))).toBe(50);
  expect(times.expectedMs(model("huge", 1e12))).toBe(600_000);
});
