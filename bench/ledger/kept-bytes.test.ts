import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { bytesPerJob, keptIn } from "./kept-bytes.ts";

const tables = [
  "orders",
  "ledgerEntries",
  "receipts",
  "receiptSeals",
  "queue/attempts",
  "_scheduled_functions",
];

/** The file of a backend with documents of these sizes. */
function fileWith(documents: readonly (readonly [table: string, bytes: number])[]): string {
  const folder = mkdtempSync(join(tmpdir(), "gleaner-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "backend.sqlite");
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE tables (number INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE documents (id TEXT PRIMARY KEY, table_number INTEGER, json TEXT)`);
  const addTable = db.prepare("INSERT INTO tables VALUES (?, ?)");
  tables.forEach((name, number) => addTable.run(number, name));
  const add = db.prepare("INSERT INTO documents VALUES (?, ?, ?)");
  documents.forEach(([table, bytes], at) => add.run(String(at), tables.indexOf(table), "x".repeat(bytes)));
  db.close();
  return file;
}

it("counts all that is kept of each job, with a part of what several jobs share", () => {
  const kept = keptIn(
    fileWith([
      ["orders", 100],
      ["orders", 100],
      ["ledgerEntries", 50],
      ["ledgerEntries", 50],
      ["receipts", 400],
      ["receipts", 400],
      ["receiptSeals", 20],
      ["queue/attempts", 30],
      ["queue/attempts", 30],
      ["_scheduled_functions", 1_000],
      ["_scheduled_functions", 1_000],
    ]),
  );
  expect(bytesPerJob(kept, kept.forGood)).toBe(100 + 50 + 400 + 10);
  expect(kept.forDays).toEqual({ "queue/attempts": { documents: 2, bytes: 60 } });
  expect(bytesPerJob(kept, kept.forDays)).toBe(30);
});
