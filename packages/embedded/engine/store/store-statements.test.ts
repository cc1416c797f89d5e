import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { prepareDatabase } from "./store-schema.ts";
import { statements } from "./store-statements.ts";

function planOf(sql: string): readonly string[] {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  prepareDatabase(db, ":memory:");
  const parameters = Array.from({ length: sql.split("?").length - 1 }, () => null);
  return db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map((row) => row["detail"] as string);
}

test.each(Object.entries(statements))("the statement %s scans no table and sorts nothing", (_, sql) => {
  for (const step of planOf(sql)) expect(step).toMatch(/^SEARCH /);
});

test.each([statements.scanUp, statements.scanDown])("a scan reads only its range, in order: %#", (sql) => {
  expect(planOf(sql)).toEqual([
    "SEARCH e USING PRIMARY KEY (index_id=? AND key>? AND key<?)",
    expect.stringMatching(/^SEARCH d USING INDEX \S+ \(id=\?\)$/),
  ]);
});
