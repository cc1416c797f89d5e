import { expect, it } from "vitest";
import { noisePercent } from "./noise.ts";

it("a machine without noise has none", () => {
  expect(noisePercent([[1, 1, 1], [1]], 10)).toBe(0);
});

it("the noise does not depend on which half of a pair was slower", () => {
  const slower = noisePercent([Array.from({ length: 9 }, () => 1.1)], 9);
  const faster = noisePercent([Array.from({ length: 9 }, () => 1 / 1.1)], 9);
  expect(slower).toBeCloseTo(10);
  expect(faster).toBeCloseTo(10);
});

it("more pairs reduce the noise, and more tasks increase it", () => {
  const ratios = Array.from({ length: 41 }, (_, index) => 0.9 + index * 0.005);
  const few = noisePercent([ratios], 5);
  const many = noisePercent([ratios], 45);
  expect(many).toBeGreaterThan(0);
  expect(few).toBeGreaterThan(2 * many);
  expect(noisePercent([ratios, ratios, ratios], 5)).toBeGreaterThan(few);
});

it("the noise is the one-sided 95 % bound of the median", () => {
  // A draw is 10 % slower with a probability of 1/6 or 1/3, so the median of five with 3.5 % or 21 %.
  expect(noisePercent([[1.1, 1, 1]], 5)).toBe(0);
  expect(noisePercent([[1.1, 1.1, 1]], 5)).toBeCloseTo(10);
});
