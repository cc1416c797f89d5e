import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTimestamp, encodeTimestamp } from "./timestamps.ts";

test("every u64 survives the wire", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (ts) => {
      expect(decodeTimestamp(encodeTimestamp(ts))).toBe(ts);
    }),
  );
});

test("zero is what a fresh client starts from", () => {
  expect(encodeTimestamp(0n)).toBe("AAAAAAAAAAA=");
});

test.each(["", "AAAA", "AAAAAAAAAAA", "AAAAAAAAAAAA", "not base64!"])("%j is no timestamp", (text) => {
  expect(decodeTimestamp(text)).toBeNull();
});
