import { expect, test } from "vitest";
import { encodeDocumentId } from "../../values/document-id.ts";
import { planImport, summaryOf } from "./import-plan.ts";
import type { ImportedTable, Present } from "./planned-tables.ts";
import { renumberIds } from "./renumber-ids.ts";

const present = (counts: Readonly<Record<string, number>>): Present => ({
  tables: [
    { name: "jobs", number: 10_001, indexes: [] },
    { name: "limits/values", number: 10_002, indexes: [{ name: "by_n", fields: ["n"] }] },
  ],
  count: (name) => counts[name] ?? 0,
  isDeclared: () => true,
});
const table = (component: string, name: string, number: number): ImportedTable => ({
  component,
  table: name,
  number,
  rows: 1,
});
const numbersOf = (imported: readonly ImportedTable[], counts = {}) =>
  planImport("replace", imported, present(counts)).tables.map(({ name, number, importedNumber }) => [
    name,
    number,
    importedNumber,
  ]);

test("a component's imported table gets another number if a table of the app has its number", () => {
  const imported = [table("limits", "values", 10_001), table("", "jobs", 10_001), table("", "users", 10_002)];
  expect(numbersOf(imported)).toEqual([
    ["limits/values", 10_003, 10_001],
    ["jobs", 10_001, null],
    ["users", 10_002, null],
  ]);
});

test("an empty table with an imported table's number gets another one, and the summary omits it", () => {
  const plan = planImport("replace", [table("", "users", 10_002)], present({}));
  expect(plan.tables[1]).toMatchObject({
    name: "limits/values",
    number: 10_003,
    onlyIfEmpty: true,
    indexes: [{ name: "by_n" }],
  });
  expect(summaryOf(plan)).not.toContain("limits");
});

test("an import conflicts with a table that has documents and the same number", () => {
  expect(() => numbersOf([table("", "users", 10_002)], { "limits/values": 3 })).toThrow(
    'The ids of table "users" conflict with those of the table "limits/values".',
  );
});

test("two of the app's tables cannot have the same number", () => {
  expect(() => numbersOf([table("", "a", 20_000), table("", "b", 20_000)])).toThrow("conflict");
});

test("all ids of a renumbered table are rewritten, at any depth", () => {
  const id = (tableNumber: number) =>
    encodeDocumentId({ tableNumber, internalId: new Uint8Array(16).fill(7) });
  const value = {
    _id: id(10_001),
    list: [id(10_001), "text", 5, null],
    other: id(10_002),
    deep: { a: id(10_001) },
  };
  expect(renumberIds(value, new Map([[10_001, 10_009]]))).toEqual({
    _id: id(10_009),
    list: [id(10_009), "text", 5, null],
    other: id(10_002),
    deep: { a: id(10_009) },
  });
});
