import { expect, it } from "vitest";
import { fullScan, localScan } from "./scans.ts";

it.each([
  [1, 1 / 64, 1],
  [16, 1 / 64, 1],
  [64, 1 / 64, 1 / 4],
  [256, 1 / 64, 1 / 16],
  [1_024, 1 / 256, 1 / 64],
  [16_384, 1 / 4_096, 1 / 1_024],
])("in a lane of %i slots covers %d of it at a job's end, and %d at the start", (slots, end, start) => {
  expect(localScan(slots)).toBe(end);
  expect(fullScan(slots)).toBe(start);
});
