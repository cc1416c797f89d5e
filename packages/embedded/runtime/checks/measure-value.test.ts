import { convexToJson, getConvexSize, type JSONValue, type Value } from "convex/values";
import fc from "fast-check";
import { expect, test } from "vitest";
import { measureValue } from "./measure-value.ts";

const fieldName = fc.string({ unit: "grapheme-ascii", maxLength: 8 }).filter((name) => /^[^$]/.test(name));
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.string({ unit: "grapheme" }),
    fc.uint8Array().map((bytes) => Uint8Array.from(bytes).buffer),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fieldName, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test("every value is measured as by the convex package", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(measureValue(convexToJson(value))).toMatchObject({
        kind: "fits",
        bytes: getConvexSize(value),
      });
    }),
  );
});

const nested = (depth: number): JSONValue => (depth === 0 ? 1 : [nested(depth - 1)]);

test.each<[string, JSONValue, RegExp]>([
  ["a deep value", nested(65), /^Value is too nested \(nested 65 levels deep > maximum nesting 64\)$/],
  ["a long array", Array.from({ length: 8193 }, () => 0), /Array length is too long \(8193/],
  ["a reserved field", { a: 1, $b: 2 }, /^Field name \$b starts with '\$', which is reserved\.$/],
  ["a control character in a field", { "a\n": 1 }, /has invalid character '\n'/],
  ["a field with a long name", { ["a".repeat(1025)]: 1 }, /^Field name is too long \(1025 > maximum 1024\)$/],
  ["a short integer", { $integer: "AAAA" }, /Malformed \$integer/],
  ["a float that is a number", { $float: 5 }, /Malformed \$float/],
  ["half a surrogate pair", { a: ["\ud83d"] }, /lone surrogate/],
  ["bytes that are not base64", { $bytes: "****" }, /Malformed \$bytes/],
  ["bytes that are cut off", { $bytes: "AAA" }, /Malformed \$bytes/],
  ["bytes with too much padding", { $bytes: "A===" }, /Malformed \$bytes/],
  ["bytes with padding inside", { $bytes: "AA==AA==" }, /Malformed \$bytes/],
])("%s is refused", (_, value, reason) => {
  expect(measureValue(value)).toMatchObject({ kind: "refused", reason: expect.stringMatching(reason) });
});

test("bytes are measured up to the limit, however long their base64 is", () => {
  const size = 16 * 2 ** 20;
  const $bytes = Buffer.alloc(size, 1).toString("base64");
  expect(measureValue({ $bytes })).toMatchObject({ kind: "fits", bytes: size + 2 });
});

test("a field may have an empty name, as in Convex", () => {
  expect(measureValue({ "": 1 })).toMatchObject({ kind: "fits", bytes: 12 });
});

test("the nesting of objects and arrays is counted", () => {
  expect(measureValue(nested(64))).toMatchObject({ kind: "fits", nesting: 64 });
  expect(measureValue({ a: [1, { b: [] }] })).toMatchObject({ nesting: 4 });
  expect(measureValue(1)).toMatchObject({ nesting: 0 });
  expect(measureValue(nested(62), 1)).toMatchObject({ nesting: 62 });
});
