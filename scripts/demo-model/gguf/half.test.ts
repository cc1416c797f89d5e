import { expect, it } from "vitest";
import { fromHalf, toHalf } from "./half.ts";

it("every half-precision number survives conversion to a number and back", () => {
  for (let half = 0; half < 0x10000; half += 1) {
    const value = fromHalf(half);
    if (!Number.isNaN(value)) expect(toHalf(value)).toBe(half);
  }
});

it.each([
  ["one", 1, 0x3c00],
  ["the largest", 65_504, 0x7bff],
  ["a tie above an even number, down", 1 + 2 ** -11, 0x3c00],
  ["a tie above an odd number, up", 1 + 3 * 2 ** -11, 0x3c02],
  ["a carry into the exponent", 2 - 2 ** -12, 0x4000],
  ["too large, to infinity", 65_520, 0x7c00],
  ["the smallest subnormal", 2 ** -24, 0x0001],
  ["half of the smallest subnormal, a tie, to zero", 2 ** -25, 0x0000],
  ["a little more than half of the smallest subnormal, up", 2 ** -25 * 1.01, 0x0001],
  ["minus infinity", -Infinity, 0xfc00],
])("toHalf rounds %s", (_, value, half) => {
  expect(toHalf(value)).toBe(half);
});

it("NaN stays NaN", () => {
  expect(fromHalf(toHalf(NaN))).toBeNaN();
});
