import fc from "fast-check";
import { expect, test } from "vitest";
import { keyFromBytes, prefixEnd, successor } from "./key.ts";
import { decodeBound } from "./key-decoding.ts";
import { encodeKey } from "./key-encoding.ts";
import { anyValue } from "./value-order.fixture.ts";

const tuple = fc.array(fc.option(anyValue, { nil: undefined, freq: 8 }), { maxLength: 3 });

test("every bound made of values is decoded to them", () => {
  fc.assert(
    fc.property(tuple, (values) => {
      const key = encodeKey(values);
      expect(decodeBound(key)).toEqual({ values, place: "prefix" });
      expect(decodeBound(prefixEnd(key))).toEqual({ values, place: "after" });
      expect(decodeBound(successor(key))).toEqual({ values, place: "exact" });
    }),
    { numRuns: 1000 },
  );
});

test("invalid bytes are recognized without an error", () => {
  expect(decodeBound("\x42\x01\x02")).toBeNull();
  expect(decodeBound(encodeKey(["cut off"]).slice(0, -1))).toBeNull();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => void decodeBound(keyFromBytes(bytes))));
});
