import { expect, test } from "vitest";
import { fuel } from "../fuel.ts";
import { PromiseFlood } from "./promise-flood.ts";

/** Half of the most that may wait. */
const half = 2 ** 17;
const make = (count: number): void => void (fuel[1] = (fuel[1] as number) + count);

test("a function may not make promises without end while earlier jobs wait", () => {
  const flood = new PromiseFlood();
  expect(flood.isFull()).toBe(false);
  make(half);
  expect(flood.isFull()).toBe(false);
  make(half);
  expect(flood.isFull()).toBe(false);
  make(1);
  expect(flood.isFull()).toBe(true);
});

test("promises are counted anew once all earlier jobs have run", async () => {
  const flood = new PromiseFlood();
  for (let round = 0; round < 10; round += 1) {
    flood.isFull();
    make(half);
    expect(flood.isFull()).toBe(false);
    await Promise.resolve();
  }
});

test("what others have made before does not count", () => {
  make(4 * half);
  expect(new PromiseFlood().isFull()).toBe(false);
});
