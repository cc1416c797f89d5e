import { expect, it } from "vitest";
import { randomFrom } from "../structures/random.ts";
import { inLargestGaps } from "./positions.ts";

it("inLargestGaps puts the second position opposite the first, and none close to another", () => {
  const cells = 65_536;
  const positions = [...inLargestGaps(64, cells, randomFrom(7))];
  expect(positions.slice(0, 2)).toEqual([0, cells / 2]);
  const sorted = positions.toSorted((a, b) => a - b);
  const gaps = sorted.map((position, index) => (sorted[index + 1] ?? cells) - position);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(cells / 64 / 8);
});
