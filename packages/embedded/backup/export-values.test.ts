import { convexToJson, jsonToConvex, type Value } from "convex/values";
import fc from "fast-check";
import { expect, test } from "vitest";
import { exportLine, exportText, parseExportText } from "./export-values.ts";

test.each<[Value, string]>([
  [42n, "42"],
  [2n ** 63n - 1n, "9223372036854775807"],
  [-(2n ** 63n), "-9223372036854775808"],
  [0, "0.0"],
  [-0, "-0.0"],
  [1.5, "1.5"],
  [1e21, "1e+21"],
  [Infinity, '{"$float":"AAAAAAAA8H8="}'],
  [new Uint8Array([0, 16, 131]).buffer, '{"$bytes":"ABCD"}'],
  ["1", '"1"'],
  [[1, null, true], "[1.0,null,true]"],
  [{ a: { b: 1n } }, '{"a":{"b":1}}'],
])("%o is exported as %s and read back", (value, text) => {
  expect(exportText(convexToJson(value))).toBe(text);
  expect(parseExportText(text, "exported")).toEqual({ kind: "ok", value: convexToJson(value) });
});

const fieldName = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.string({ unit: "grapheme" }),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => new Uint8Array(bytes).buffer),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fieldName, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test("every value survives export and import", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const stored = convexToJson(value);
      const line = exportLine({ field: stored });
      expect(line.indexOf("\n")).toBe(line.length - 1);
      const parsed = parseExportText(line, "exported");
      expect(parsed).toEqual({ kind: "ok", value: { field: stored } });
      if (parsed.kind === "ok") jsonToConvex(parsed.value);
    }),
  );
});

test("all numbers are floats in files that people write", () => {
  expect(parseExportText('{"n":1,"i":{"$integer":"AQAAAAAAAAA="}}', "plain")).toEqual({
    kind: "ok",
    value: { n: 1, i: { $integer: "AQAAAAAAAAA=" } },
  });
});

test("invalid JSON is refused with the reason", () => {
  expect(parseExportText("{", "plain")).toMatchObject({
    kind: "invalid",
    reason: expect.any(String) as string,
  });
});
