import { convexToJson, type JSONValue, type Value } from "convex/values";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullRange, IndexRangeError, type RangeExpression, toKeyRange } from "./index-range.ts";
import { compareKeys } from "./key.ts";
import { encodeKey } from "./key-encoding.ts";
import { anyValue, compareValues } from "./value-order.fixture.ts";

const target = { table: "jobs", index: "by_a_b", keyFields: ["a", "b", "_creationTime", "_id"] };
const small = fc.oneof(fc.constantFrom<Value>("", "a", "a\0", "b", 0, 1), anyValue);
const maybe = fc.option(small, { nil: undefined });

function expression(
  type: RangeExpression["type"],
  fieldPath: string,
  value: Value | undefined,
): RangeExpression {
  const json: JSONValue = value === undefined ? { $undefined: null } : convexToJson(value);
  return { type, fieldPath, value: json };
}

function holds(type: RangeExpression["type"], order: number): boolean {
  const table = { Eq: order === 0, Gt: order > 0, Gte: order >= 0, Lt: order < 0, Lte: order <= 0 };
  return table[type];
}

test("a key lies in the range exactly when its fields satisfy the comparisons", () => {
  const lower = fc.option(fc.tuple(fc.constantFrom("Gt", "Gte"), maybe), { nil: null });
  const upper = fc.option(fc.tuple(fc.constantFrom("Lt", "Lte"), maybe), { nil: null });
  fc.assert(
    fc.property(maybe, lower, upper, maybe, maybe, fc.boolean(), (a, low, high, x, y, onSecond) => {
      const field = onSecond ? "b" : "a";
      const comparisons: [RangeExpression["type"], string, Value | undefined][] = [];
      if (onSecond) comparisons.push(["Eq", "a", a]);
      for (const bound of [low, high]) {
        if (bound !== null) comparisons.push([bound[0], field, bound[1]]);
      }
      const range = toKeyRange(
        target,
        comparisons.map((each) => expression(...each)),
      );
      const key = encodeKey([onSecond ? a : x, onSecond ? x : y, 1, "id"]);
      const inside =
        compareKeys(range.lower, key) <= 0 && (range.upper === null || compareKeys(key, range.upper) < 0);
      const expected = comparisons.every(([type, path, value]) =>
        holds(type, compareValues(path === field ? x : a, value)),
      );
      expect(inside).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

test("no comparison means the whole index", () => {
  expect(toKeyRange(target, [])).toEqual(fullRange("jobs", "by_a_b"));
});

test("a range's equalities may come in any order", () => {
  const inOrder = [expression("Eq", "a", 1), expression("Eq", "b", 2)];
  expect(toKeyRange(target, inOrder.toReversed())).toEqual(toKeyRange(target, inOrder));
});

describe("invalid comparisons", () => {
  const cases: readonly [string, readonly RangeExpression[], string, RegExp][] = [
    ["a skipped field", [expression("Eq", "b", 1)], "InvalidIndexRange", /First incorrect field: b\n/],
    [
      "a bound before an equality",
      [expression("Eq", "b", 1), expression("Gt", "a", 1)],
      "InvalidIndexRange",
      /didn't use the index fields in order\.\nIndex fields: \["a", "b", "_creationTime"\]\nQuery fields: \["b", "a"\]/,
    ],
    [
      "a field that is not indexed",
      [expression("Eq", "c", 1)],
      "FieldNotInIndex",
      /jobs\.by_a_b .* doesn't index/,
    ],
    [
      "two equalities",
      [expression("Eq", "a", 1), expression("Eq", "a", 2)],
      "AlreadyDefinedBound",
      /"a" == 2/,
    ],
    [
      "two lower bounds",
      [expression("Gt", "a", 1), expression("Gte", "a", 2)],
      "AlreadyDefinedBound",
      /lower/,
    ],
    [
      "two upper bounds",
      [expression("Lt", "a", 1), expression("Lte", "a", 2)],
      "AlreadyDefinedBound",
      /upper/,
    ],
    [
      "bounds on two fields",
      [expression("Gt", "a", 1), expression("Lt", "b", 2)],
      "BoundsOnMultipleFields",
      /"b"/,
    ],
    [
      "an equality and a bound",
      [expression("Eq", "a", 1), expression("Lt", "a", 2)],
      "AlreadyDefinedBound",
      /inequality/,
    ],
  ];
  test.each(cases)("%s is refused as in Convex", (_name, expressions, code, message) => {
    const failure = attempt(expressions);
    expect(failure).toBeInstanceOf(IndexRangeError);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) as string });
  });
});

function attempt(expressions: readonly RangeExpression[]): unknown {
  try {
    return toKeyRange(target, expressions);
  } catch (error) {
    return error;
  }
}
