import fc from "fast-check";
import { expect, it } from "vitest";
import { equalPrices, isAbove, priorities, priorityPricesMistake } from "./priority.ts";

it("orders priorities from low to high", () => {
  for (const [at, one] of priorities.entries()) {
    for (const [place, other] of priorities.entries()) expect(isAbove(one, other)).toBe(at > place);
  }
});

it("accepts prices that do not fall with the priority, within their bounds", () => {
  expect(priorityPricesMistake(equalPrices)).toBeNull();
  expect(priorityPricesMistake({ low: 10, normal: 100, high: 1_000 })).toBeNull();
  const percent = fc.integer({ min: 10, max: 1_000 });
  fc.assert(
    fc.property(percent, percent, percent, (low, normal, high) => {
      expect(priorityPricesMistake({ low, normal, high }) === null).toBe(low <= normal && normal <= high);
    }),
  );
});

it.each([9, 1_001, 100.5, Number.NaN, Infinity, -100, 0])("refuses a price of %d percent", (percent) => {
  for (const priority of priorities) {
    expect(priorityPricesMistake({ ...equalPrices, [priority]: percent })).toMatch(/10 to 1000 percent/);
  }
});
