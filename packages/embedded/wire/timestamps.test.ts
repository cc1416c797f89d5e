import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTimestamp, encodeTimestamp } from "./timestamps.ts";

test("every u64 is decoded as it was encoded", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (ts) => {
      expect(decodeTimestamp(encodeTimestamp(ts))).toBe(ts);
    }),
  );
});

test("a new client's timestamp is zero", () => {
  expect(encodeTimestamp(0n)).toBe("AAAAAAAAAAA=");
});

test.each(["", "AAAA", "AAAAAAAAAAA", "AAAAAAAAAAAA", "not base64!"])("%j is not a timestamp", (text) => {
  expect(decodeTimestamp(text)).toBeNull();
});
