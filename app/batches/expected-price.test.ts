import { expect, it } from "vitest";
import { expectedPrice } from "./expected-price.ts";

const batch = { status: "in_progress", total: 300, completed: 90, failed: 10, priceMicro: 1_000n } as const;

it("the other requests of a batch cost as much as those that have ended", () => {
  expect(expectedPrice(batch)).toBe(3_000n);
  expect(expectedPrice({ ...batch, total: 100 })).toBe(1_000n);
});

it("is never less than the price so far", () => {
  expect(expectedPrice({ ...batch, total: 101, priceMicro: 1n })).toBe(2n);
  expect(expectedPrice({ ...batch, total: 50 })).toBe(1_000n);
});

it("is unknown before the first end, and for a batch that is not running", () => {
  expect(expectedPrice({ ...batch, completed: 0, failed: 0 })).toBeNull();
  for (const status of ["validating", "completed", "cancelling", "cancelled", "expired", "failed"] as const)
    expect(expectedPrice({ ...batch, status })).toBeNull();
});
