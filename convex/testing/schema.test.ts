import { readFileSync, writeFileSync } from "node:fs";
import { defineSchema, defineTable } from "convex/server";
import { type GenericValidator, v } from "convex/values";
import { describe, expect, it } from "vitest";
import queueSchema from "../../packages/queue/component/schema.ts";
import schema from "../schema.ts";
import { type ExportedSchema, narrowed } from "./schemaWidens.fixture.ts";

/** The schema as JSON. Convex's CLI calls `export()`, but the published types omit it. */
function exported(definition: object): ExportedSchema {
  return JSON.parse((definition as { export(): string }).export()) as ExportedSchema;
}

/**
 * Data that fits the schema in an openedSchema.json must still open. GLEANER_KEEP_SCHEMA=1 writes these files again, so that
 * later versions must open the present schema's data.
 */
describe("stored documents", () => {
  it.each([
    ["the app's", schema, "openedSchema.json"],
    ["the queue's", queueSchema, "../../packages/queue/component/testing/openedSchema.json"],
  ])("fit %s schema: new fields are optional, and no field is removed", (_, definition, path) => {
    const file = new URL(path, import.meta.url);
    const now = exported(definition);
    if (process.env["GLEANER_KEEP_SCHEMA"] === "1") writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
    const before = JSON.parse(readFileSync(file, "utf8")) as ExportedSchema;
    expect(narrowed(before, now)).toEqual([]);
  });
});

describe("indexes", () => {
  it.each([
    // An index ends with the time of creation, so these put rows in the order of time.
    ["the app's", schema, ["audit.by_organization", "audit.by_who"]],
    ["the queue's", queueSchema, []],
  ])("of %s schema are no beginnings of others", (_, definition, ordered) => {
    expect(replaceable(exported(definition)).toSorted()).toEqual(ordered);
  });

  it("that are the beginning of another are found", () => {
    const table = defineTable({ a: v.string(), b: v.string() }).index("a", ["a"]).index("ab", ["a", "b"]);
    expect(replaceable(exported(defineSchema({ t: table.index("b", ["b"]) })))).toEqual(["t.a"]);
  });
});

/** The indexes whose fields another index of the table begins with. */
function replaceable({ tables }: ExportedSchema): readonly string[] {
  return tables.flatMap(({ tableName, indexes }) =>
    indexes
      .filter((index) =>
        indexes.some(
          (other) => other !== index && index.fields.every((field, i) => field === other.fields[i]),
        ),
      )
      .map(({ indexDescriptor }) => `${tableName}.${indexDescriptor}`),
  );
}

describe("the comparison of schemas", () => {
  const of = (field: GenericValidator) => exported(defineSchema({ t: defineTable({ field }) }));

  it.each([
    ["another type", v.string(), v.number()],
    ["a union that lost a member", v.union(v.string(), v.null()), v.string()],
    ["a removed literal", v.union(v.literal("a"), v.literal("b")), v.union(v.literal("a"), v.literal("c"))],
    ["a field that is required now", v.object({}), v.object({ a: v.string() })],
    [
      "a required field that was optional",
      v.object({ a: v.optional(v.string()) }),
      v.object({ a: v.string() }),
    ],
    ["a removed field", v.object({ a: v.string() }), v.object({})],
    ["an array's elements", v.array(v.string()), v.array(v.number())],
    ["a record's values", v.record(v.string(), v.number()), v.record(v.string(), v.string())],
    ["another table's id", v.id("t"), v.id("u")],
  ])("finds %s", (_name, before, after) => {
    expect(narrowed(of(before), of(after))).not.toEqual([]);
  });

  it.each([
    ["no change", v.object({ a: v.array(v.id("t")) }), v.object({ a: v.array(v.id("t")) })],
    ["any value", v.string(), v.any()],
    ["another member of a union", v.string(), v.union(v.string(), v.null())],
    ["a literal's own type", v.literal("a"), v.string()],
    ["a new optional field", v.object({}), v.object({ a: v.optional(v.string()) })],
    ["a field that became optional", v.object({ a: v.string() }), v.object({ a: v.optional(v.string()) })],
  ])("accepts %s", (_name, before, after) => {
    expect(narrowed(of(before), of(after))).toEqual([]);
  });
});
