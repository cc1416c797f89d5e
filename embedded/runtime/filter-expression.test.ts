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
  ["a missing field is undefined", { $eq: [field("address.zip"), literal(undefined)] }, true],
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
])("%s", (_, expression, expected) => {
  expect(compileFilter(expression)(document)).toBe(expected);
});

test.each<[string, JSONValue]>([
  ["an unknown operator", { $like: [1, 2] }],
  ["a comparison of one", { $eq: [field("a")] }],
  ["no operator", {}],
  ["a bare value", 5],
])("%s is refused before it runs", (_, expression) => {
  expect(() => compileFilter(expression)).toThrow(/Malformed filter expression/);
});

test("numbers of two types do not mix", () => {
  const filter = compileFilter({ $add: [field("age"), literal(1n)] });
  expect(() => filter(document)).toThrow(/needs two numbers of one type/);
});
