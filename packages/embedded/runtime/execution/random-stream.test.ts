import { expect, test } from "vitest";
import { RandomStream } from "./random-stream.ts";

const seed = new Uint8Array(32).fill(7);

test("the same seed gives the same bytes, in whichever portions they are taken", () => {
  const whole = new RandomStream(seed).bytes(3000);
  const pieces = new RandomStream(seed);
  const parts = [1, 1023, 1, 975, 1000].map((count) => pieces.bytes(count));
  expect(Buffer.concat(parts).equals(whole)).toBe(true);
  expect(new RandomStream(seed).number()).toBe(new RandomStream(seed).number());
});

test("streams without a seed differ", () => {
  expect(new RandomStream().bytes(16).equals(new RandomStream().bytes(16))).toBe(false);
});

test("random numbers are spread over [0, 1)", () => {
  const random = new RandomStream(seed);
  const numbers = Array.from({ length: 10_000 }, () => random.number());
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
});
