import fc from "fast-check";
import { expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

it("returns the time to wait if more bytes are taken than available", () => {
  const bucket = new TokenBucket(1_000, 0);
  expect(bucket.take(500, 0)).toBe(500);
  expect(bucket.take(500, 500)).toBe(500);
  expect(bucket.take(100, 100_000)).toBe(0);
});

it("returns no time to wait without a rate", () => {
  expect(new TokenBucket(null, 0).take(1e12, 0)).toBe(0);
});

it("never lets through more than the rate and one burst", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(10_000), { minLength: 1 }),
      fc.integer({ min: 100, max: 50_000 }),
      (chunks, rate) => {
        const bucket = new TokenBucket(rate, 0);
        let now = 0;
        let taken = 0;
        for (const chunk of chunks) {
          now += bucket.take(chunk, now);
          taken += chunk;
          expect(taken).toBeLessThanOrEqual((now / 1_000) * rate + rate * 0.25 + 1);
        }
      },
    ),
  );
});
