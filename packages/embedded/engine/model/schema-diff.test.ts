import { describe, expect, test } from "vitest";
import { Catalog } from "./catalog.ts";
import { diffSchema } from "./schema-diff.ts";

function catalogWith(...indexes: { name: string; fields: string[] }[]): Catalog {
  const catalog = new Catalog([]);
  const table = catalog.ensure("jobs");
  catalog.put({
    ...table,
    indexes: [...table.indexes, ...indexes.map((index) => catalog.draftIndex("jobs", index))],
  });
  return catalog;
}

const byA = { name: "by_a", fields: ["a"] };

describe("schema changes", () => {
  test("an unchanged schema needs no changes", () => {
    expect(diffSchema(catalogWith(byA).tables, [{ name: "jobs", indexes: [byA] }])).toEqual([]);
  });

  test("a new table is created before its indexes", () => {
    expect(diffSchema([], [{ name: "jobs", indexes: [byA] }])).toEqual([
      { kind: "create_table", table: "jobs" },
      { kind: "create_index", table: "jobs", index: byA },
    ]);
  });

  test("a changed index is dropped before it is created again", () => {
    const changed = { name: "by_a", fields: ["a", "b"] };
    expect(diffSchema(catalogWith(byA).tables, [{ name: "jobs", indexes: [changed] }])).toEqual([
      { kind: "drop_index", table: "jobs", index: "by_a" },
      { kind: "create_index", table: "jobs", index: changed },
    ]);
  });

  test("a table removed from the schema loses only its indexes", () => {
    expect(diffSchema(catalogWith(byA).tables, [])).toEqual([
      { kind: "drop_index", table: "jobs", index: "by_a" },
    ]);
  });

  test.each([
    ["a reserved index name", [{ name: "by_id", fields: ["a"] }], /reserved/],
    ["an index name used twice", [byA, byA], /two indexes/],
    ["an index without fields", [{ name: "by_a", fields: [] }], /no fields/],
  ])("%s is refused", (_name, indexes, message) => {
    expect(() => diffSchema([], [{ name: "jobs", indexes }])).toThrow(message);
  });
});
