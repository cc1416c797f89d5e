import { expect, test } from "vitest";
import { PromiseFlood } from "./promise-flood.ts";

/** Half of the most that may wait. */
const half = 2 ** 17;

test("a function may not make promises without end while earlier jobs wait", () => {
  const flood = new PromiseFlood();
  expect(flood.isFull(0)).toBe(false);
  expect(flood.isFull(half)).toBe(false);
  expect(flood.isFull(half)).toBe(false);
  expect(flood.isFull(1)).toBe(true);
});

test("promises are counted anew once all earlier jobs have run", async () => {
  const flood = new PromiseFlood();
  for (let round = 0; round < 10; round += 1) {
    flood.isFull(0);
    expect(flood.isFull(half)).toBe(false);
    await Promise.resolve();
  }
});

test("what others have made before does not count", () => {
  expect(new PromiseFlood().isFull(4 * half)).toBe(false);
});
