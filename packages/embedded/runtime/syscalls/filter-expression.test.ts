import { convexToJson, type JSONValue, type Value } from "convex/values";
import { expect, test } from "vitest";
import { compileFilter } from "./filter-expression.ts";

const field = (path: string): JSONValue => ({ $field: path });
const literal = (value: Value | undefined): JSONValue => ({
  $literal: value === undefined ? { $undefined: null } : convexToJson(value),
});
const document = {
  name: "ada",
  age: 36,
  tags: ["a"],
  address: { city: "London" },
  big: { $integer: "CgAAAAAAAAA=" },
};

test.each<[string, JSONValue, boolean]>([
  ["equal strings", { $eq: [field("name"), literal("ada")] }, true],
  ["unequal strings", { $neq: [field("name"), literal("ada")] }, false],
  ["a nested field", { $eq: [field("address.city"), literal("London")] }, true],
  ["a missing field as undefined", { $eq: [field("address.zip"), literal(undefined)] }, true],
  ["arrays by value", { $eq: [field("tags"), literal(["a"])] }, true],
  ["order within a type", { $lt: [field("age"), literal(40)] }, true],
  ["order across types: numbers before strings", { $lt: [field("age"), field("name")] }, true],
  ["order across types: missing before null", { $lt: [field("none"), literal(null)] }, true],
  ["bigints before numbers", { $lt: [field("big"), literal(-1e9)] }, true],
  ["arithmetic", { $eq: [{ $mod: [{ $add: [field("age"), literal(1)] }, literal(10)] }, literal(7)] }, true],
  ["bigint arithmetic", { $eq: [{ $mul: [field("big"), literal(3n)] }, literal(30n)] }, true],
  ["negation", { $eq: [{ $neg: field("age") }, literal(-36)] }, true],
  ["and", { $and: [{ $gt: [field("age"), literal(1)] }, { $lte: [field("age"), literal(35)] }] }, false],
  ["or", { $or: [{ $gt: [field("age"), literal(99)] }, { $gte: [field("age"), literal(36)] }] }, true],
  ["not", { $not: { $eq: [field("name"), literal("ada")] } }, false],
])("a filter evaluates %s", (_, expression, expected) => {
  expect(compileFilter(expression)(document)).toBe(expected);
});

test.each<[string, JSONValue]>([
  ["an unknown operator", { $like: [1, 2] }],
  ["a comparison with one operand", { $eq: [field("a")] }],
  ["no operator", {}],
  ["a bare value", 5],
])("a filter with %s is refused before it runs", (_, expression) => {
  expect(() => compileFilter(expression)).toThrow(/Malformed filter expression/);
});

test.each<[string, JSONValue, string]>([
  [
    "arithmetic of two number types",
    { $add: [field("age"), literal(1n)] },
    "Cannot add 36.0 (type Float64) and 1 (type Int64)",
  ],
  [
    "arithmetic of texts",
    { $sub: [field("name"), literal("a")] },
    'Cannot subtract "ada" (type String) and "a" (type String)',
  ],
  [
    "an int64 modulo zero",
    { $mod: [literal(1n), literal(0n)] },
    "Cannot mod 1 (type Int64) and 0 (type Int64)",
  ],
  ["the negation of an array", { $neg: field("tags") }, 'Cannot negate ["a"] (type Array)'],
  [
    "a condition that is not a boolean",
    field("none"),
    "Cannot use value undefined (type undefined) as a Boolean",
  ],
  [
    "a negated condition that is not a boolean",
    { $not: literal(0) },
    "Cannot use value 0.0 (type Float64) as a Boolean",
  ],
  [
    "a part of a condition that is not a boolean",
    { $and: [literal(null)] },
    "Cannot use value null (type Null) as a Boolean",
  ],
])("a filter fails on %s", (_, expression, message) => {
  expect(() => compileFilter(expression)(document)).toThrow(message);
});
