import { convexToJson, type GenericValidator, v, type Value } from "convex/values";
import { describe, expect, test } from "vitest";
import { checkValue } from "./check-value.ts";
import type { ValidatorJson } from "./validator-json.ts";

const tables = new Map([
  ["u1", "users"],
  ["p1", "posts"],
  ["s1", "_storage"],
]);

const check = (validator: GenericValidator, value: Value): string | null =>
  checkValue(
    (validator as unknown as { json: ValidatorJson }).json,
    convexToJson(value),
    (id) => tables.get(id) ?? null,
  );

const person = v.object({ name: v.string(), age: v.optional(v.number()) });

test.each<[string, GenericValidator, Value]>([
  ["null", v.null(), null],
  ["a number", v.number(), -0],
  ["a bigint", v.int64(), 5n],
  ["bytes", v.bytes(), new ArrayBuffer(2)],
  ["an id", v.id("users"), "u1"],
  ["a literal bigint", v.literal(3n), 3n],
  ["an array", v.array(v.boolean()), [true, false]],
  ["a record", v.record(v.id("users"), v.number()), { u1: 1 }],
  ["a union's member", v.union(v.string(), v.null()), null],
  ["an object without its optional field", person, { name: "ada" }],
  ["anything", v.any(), { deep: [1n] }],
])("%s fits its validator", (_, validator, value) => {
  expect(check(validator, value)).toBeNull();
});

describe("mismatches", () => {
  test.each<[string, GenericValidator, Value, string]>([
    [
      "another type",
      v.number(),
      "5",
      'Value does not match validator.\n\nValue: "5"\nValidator: v.float64()',
    ],
    [
      "a nested value of another type, with its path,",
      v.object({ list: v.array(person) }),
      { list: [{ name: "ada" }, { name: 5 }] },
      "Value does not match validator.\nPath: .list[1].name\nValue: 5.0\nValidator: v.string()",
    ],
    [
      "a missing field",
      person,
      { age: 1 },
      "Object is missing the required field `name`. Consider wrapping the field validator in `v.optional(...)` " +
        "if this is expected.\n\nObject: {age: 1.0}\nValidator: v.object({age: v.optional(v.float64()), name: v.string()})",
    ],
    [
      "an extra field",
      person,
      { name: "ada", admin: true },
      "Object contains extra field `admin` that is not in the validator.\n\n" +
        'Object: {admin: true, name: "ada"}\nValidator: v.object({age: v.optional(v.float64()), name: v.string()})',
    ],
    [
      "another table's id",
      v.id("users"),
      "p1",
      'Found ID "p1" from table `posts`, which does not match the table name in validator `v.id("users")`.',
    ],
    [
      "a system table's id",
      v.id("users"),
      "s1",
      'Found ID "s1" from a system table, which does not match the table name in validator `v.id("users")`.',
    ],
    [
      "a text that is not an id",
      v.id("users"),
      "x",
      'Value does not match validator.\n\nValue: "x"\nValidator: v.id("users")',
    ],
    ["another literal", v.literal("a"), "b", '`"b"` does not match literal validator `v.literal("a")`.'],
    [
      "a value outside of a union",
      v.union(v.literal(1), v.record(v.string(), v.int64())),
      2,
      "Value does not match validator.\n\nValue: 2.0\n" +
        "Validator: v.union(v.literal(1.0), v.record(v.string(), v.int64()))",
    ],
    [
      "a bad key of a record",
      v.record(v.id("users"), v.number()),
      { p1: 1 },
      'Found ID "p1" from table `posts`, which does not match the table name in validator `v.id("users")`.Path: .keys()',
    ],
  ])("%s is refused in Convex's words", (_, validator, value, message) => {
    expect(check(validator, value)).toBe(message);
  });
});
