import { type GenericValidator, v } from "convex/values";
import { expect, test } from "vitest";
import type { ValidatorJson } from "./validator-json.ts";
import { isSubset } from "./validator-subset.ts";

/** A validator as a schema has it. */
const jsonOf = (validator: GenericValidator): ValidatorJson =>
  (validator as unknown as { readonly json: ValidatorJson }).json;
const a = v.object({ a: v.number() });

test.each<[string, GenericValidator, GenericValidator]>([
  ["any value", v.object({}), v.any()],
  ["the same", a, v.object({ a: v.number() })],
  ["one more member", v.string(), v.union(v.string(), v.number())],
  ["fewer members", v.union(v.string(), v.null()), v.union(v.null(), v.number(), v.string())],
  ["one more optional field", a, v.object({ a: v.number(), b: v.optional(v.string()) })],
  ["a field that may be absent", a, v.object({ a: v.optional(v.number()) })],
  ["the type of a literal", v.literal("x"), v.string()],
  ["the type of a big literal", v.literal(1n), v.int64()],
  ["both booleans", v.boolean(), v.union(v.literal(true), v.literal(false))],
  ["text for an id", v.id("things"), v.string()],
  ["arrays", v.array(v.literal(1)), v.array(v.number())],
  ["records", v.record(v.literal("x"), a), v.record(v.string(), v.any())],
])("a validator accepts what another one accepts: %s", (_, inner, outer) => {
  expect(isSubset(jsonOf(inner), jsonOf(outer))).toBe(true);
});

test.each<[string, GenericValidator, GenericValidator]>([
  ["less than any value", v.any(), a],
  ["one member less", v.union(v.string(), v.number()), v.string()],
  ["a field less", v.object({ a: v.number(), b: v.optional(v.string()) }), a],
  ["one more required field", a, v.object({ a: v.number(), b: v.string() })],
  ["a field that must be there", v.object({ a: v.optional(v.number()) }), a],
  ["another type of a field", a, v.object({ a: v.int64() })],
  ["another literal", v.literal(1), v.literal(2)],
  ["a literal of another type", v.literal("1"), v.number()],
  ["a literal for its type", v.string(), v.literal("x")],
  ["one boolean", v.boolean(), v.literal(true)],
  ["an id for text", v.string(), v.id("things")],
  ["ids of another table", v.id("things"), v.id("others")],
  ["narrower arrays", v.array(v.any()), v.array(v.number())],
  ["narrower keys", v.record(v.string(), a), v.record(v.id("things"), a)],
  ["an object for a record", v.record(v.string(), v.number()), a],
])("a validator refuses something that another one accepts: %s", (_, inner, outer) => {
  expect(isSubset(jsonOf(inner), jsonOf(outer))).toBe(false);
});
