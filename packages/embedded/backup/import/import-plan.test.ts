import { expect, test } from "vitest";
import { deletesSomething, planImport, summaryOf } from "./import-plan.ts";
import type { ImportedTable, Present } from "./planned-tables.ts";

const present: Present = {
  tables: [
    { name: "jobs", number: 10_001, indexes: [{ name: "by_n", fields: ["n"] }] },
    { name: "empty", number: 10_002, indexes: [] },
    { name: "undeclared", number: 10_003, indexes: [] },
    { name: "pool/tasks", number: 10_004, indexes: [] },
    { name: "_scheduled_functions", number: 5_001, indexes: [] },
  ],
  count: (name) => (name === "empty" ? 0 : 7),
  isDeclared: (component, table) =>
    component === "" || component === "pool" ? table !== "undeclared" : null,
};
const table = (name: string, number: number | null = null, rows = 3): ImportedTable => ({
  component: "",
  table: name,
  number,
  rows,
});

test("imports into empty and new tables keep the table numbers of their ids", () => {
  const { tables } = planImport("requireEmpty", [table("empty", 20_001), table("new", 20_002)], present);
  expect(tables).toMatchObject([
    { name: "empty", number: 20_001, append: false },
    { name: "new", number: 20_002, append: false },
  ]);
});

test("an import without ids keeps an existing table's number and gives a new table a free one", () => {
  const { tables } = planImport("replace", [table("jobs"), table("new"), table("other", 30_000)], present);
  expect(tables.map(({ number }) => number)).toEqual([10_001, 30_001, 30_000]);
});

test("an import into a table with documents is refused unless its mode allows it", () => {
  expect(() => planImport("requireEmpty", [table("jobs")], present)).toThrow("Table jobs already exists.");
});

test("appending keeps the present documents, and ids of another table cannot be appended", () => {
  expect(planImport("append", [table("jobs", 10_001)], present).tables).toMatchObject([{ append: true }]);
  expect(() => planImport("append", [table("jobs", 20_001)], present)).toThrow("Import with --replace");
});

test("replaceAll empties the tables of the schema and drops all others, in components too", () => {
  const { tables, drop } = planImport("replaceAll", [table("jobs")], present);
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
    ["jobs", 3],
    ["empty", 0],
    ["pool/tasks", 0],
  ]);
  expect(drop).toEqual(["undeclared"]);
});

test.each(["_scheduled_functions", "a-b", "1a", "x".repeat(65), "a/b"])(
  "%j is refused as a table name",
  (name) => {
    expect(() => planImport("replace", [table(name)], present)).toThrow("is not a valid table name");
  },
);

test("an import into a component that is not installed is refused", () => {
  const imported = [{ ...table("jobs"), component: "nowhere" }];
  expect(() => planImport("replace", imported, present)).toThrow('There is no component "nowhere"');
});

test("the summary shows additions and deletions, and only deletions need to be confirmed", () => {
  const plan = planImport("replace", [table("jobs", null, 100_000), table("new")], present);
  expect(summaryOf(plan)).toBe(
    [
      "Import change summary:",
      "table | create  | delete |",
      "--------------------------",
      "jobs  | 100,000 | 7 of 7 |",
      "new   | 3       | 0 of 0 |",
    ].join("\n"),
  );
  expect(deletesSomething(plan)).toBe(true);
  expect(deletesSomething(planImport("append", [table("jobs")], present))).toBe(false);
});
