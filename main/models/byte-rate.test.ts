import { expect, it } from "vitest";
import { ByteRate } from "./byte-rate.ts";

it("computes the rate of the last seconds", () => {
  const rate = new ByteRate(5_000);
  expect(rate.at(0)).toBe(0);
  for (let now = 0; now <= 4_000; now += 50) rate.count(100, now);
  expect(rate.at(4_000)).toBeGreaterThan(1_900);
  expect(rate.at(4_000)).toBeLessThan(2_200);
  expect(rate.at(20_000)).toBe(0);
});
