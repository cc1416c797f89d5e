import { compareValues as convexCompareValues, type Value } from "convex/values";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareKeys, keyFromBytes, prefixEnd, successor } from "./key.ts";
import { encodeKey } from "./key-encoding.ts";
import { anyValue, compareTuples, compareValues } from "./value-order.fixture.ts";

const tuple = fc.array(fc.option(anyValue, { nil: undefined, freq: 8 }), { maxLength: 3 });
const sign = (n: number): number => Math.sign(n);

function float(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

describe("the order of encoded keys", () => {
  test("encoded keys sort in the order of their values", () => {
    fc.assert(
      fc.property(tuple, tuple, (left, right) => {
        expect(sign(compareKeys(encodeKey(left), encodeKey(right)))).toBe(sign(compareTuples(left, right)));
      }),
      { numRuns: 3000 },
    );
  });

  test("encoded keys sort like the convex package's own compareValues", () => {
    const maybeValue = fc.option(anyValue, { nil: undefined, freq: 8 });
    fc.assert(
      fc.property(maybeValue, maybeValue, (left, right) => {
        const order = convexCompareValues(left, right);
        expect(sign(compareKeys(encodeKey([left]), encodeKey([right])))).toBe(sign(order));
      }),
      { numRuns: 5000 },
    );
  });

  test("encoded keys sort as in Convex, for all types and their edge cases", () => {
    const ordered: readonly (Value | undefined)[] = [
      undefined,
      null,
      -(2n ** 63n),
      -1n,
      0n,
      1n,
      2n ** 63n - 1n,
      -Infinity,
      -Number.MAX_VALUE,
      -1.5,
      -Number.MIN_VALUE,
      -0,
      0,
      Number.MIN_VALUE,
      1.5,
      Number.MAX_VALUE,
      Infinity,
      NaN,
      false,
      true,
      "",
      "\0",
      "\0\0",
      "\0a",
      "a",
      "a\0",
      "a\0b",
      "ab",
      "z",
      "é",
      "\uffff",
      "😀",
      new Uint8Array([]).buffer,
      new Uint8Array([0]).buffer,
      new Uint8Array([0, 255]).buffer,
      new Uint8Array([255]).buffer,
      [],
      [null],
      [null, "a"],
      ["a"],
      [[]],
      {},
      { a: 1 },
      { a: 1, b: 1 },
      { a: 2 },
      { aa: 0 },
    ];
    for (const [i, left] of ordered.entries()) {
      for (const [j, right] of ordered.entries()) {
        expect(sign(compareKeys(encodeKey([left]), encodeKey([right]))), `${i} and ${j}`).toBe(sign(i - j));
        expect(sign(compareValues(left, right))).toBe(sign(i - j));
        expect(sign(convexCompareValues(left, right))).toBe(sign(i - j));
      }
    }
  });

  test("a NaN with its sign bit set sorts below minus infinity", () => {
    const negative = float(0xfff8_0000_0000_0001n);
    // Some engines normalize NaNs: then there is no such value to sort.
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, negative);
    const kept = view.getBigUint64(0) >> 63n === 1n;
    expect(compareKeys(encodeKey([negative]), encodeKey([-Infinity])) < 0).toBe(kept);
  });
});

describe("prefixes", () => {
  test("exactly the keys of longer tuples lie between a tuple's key and its prefix end", () => {
    fc.assert(
      fc.property(tuple, tuple, (prefix, other) => {
        const key = encodeKey(other);
        const inside =
          compareKeys(encodeKey(prefix), key) <= 0 && compareKeys(key, prefixEnd(encodeKey(prefix))) < 0;
        expect(inside).toBe(compareTuples(prefix, other.slice(0, prefix.length)) === 0);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(tuple, tuple, (prefix, rest) => {
        const longer = encodeKey([...prefix, ...rest]);
        expect(compareKeys(longer, prefixEnd(encodeKey(prefix)))).toBeLessThan(0);
        expect(compareKeys(longer, encodeKey(prefix))).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("nothing lies between a key and its successor", () => {
    const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map(keyFromBytes);
    fc.assert(
      fc.property(bytes(4), bytes(5), (key, other) => {
        const between = compareKeys(key, other) < 0 && compareKeys(other, successor(key)) < 0;
        expect(between).toBe(false);
      }),
    );
  });
});
