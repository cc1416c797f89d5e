import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "./errors.ts";

/** Raised with every change to the tables below that an older program could not read. */
const FORMAT_VERSION = 1;

const CREATE = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY,
    table_number INTEGER NOT NULL,
    name TEXT NOT NULL,
    fields TEXT NOT NULL,
    UNIQUE (table_number, name)
  );
  CREATE TABLE documents (id TEXT PRIMARY KEY, table_number INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE TABLE index_entries (
    index_id INTEGER NOT NULL,
    key BLOB NOT NULL,
    doc_id TEXT NOT NULL,
    PRIMARY KEY (index_id, key)
  ) WITHOUT ROWID;
`;

/**
 * Takes the file for this process alone, checks that it is ours and creates what a new one needs.
 * Nothing in the file is changed before it is known to be ours.
 */
export function prepareDatabase(db: DatabaseSync, path: string): void {
  // Set before the first access, it makes that one take the lock for as long as the connection lives:
  // it goes with the process, however that ends.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map((row) => row["name"]);
  const isNew = names.length === 0;
  if (!isNew) checkFormat(db, path, names.includes("meta"));
  db.exec("PRAGMA journal_mode = WAL");
  // Every COMMIT waits for the disk; on macOS only fullfsync really does.
  db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA cache_size = -65536");
  db.exec("BEGIN EXCLUSIVE");
  if (isNew) {
    db.exec(CREATE);
    db.prepare("INSERT INTO meta VALUES ('format', ?), ('last_ts', 1)").run(FORMAT_VERSION);
  }
  db.exec("COMMIT");
}

function checkFormat(db: DatabaseSync, path: string, hasMeta: boolean): void {
  const format = hasMeta ? formatOf(db) : null;
  if (format === null) {
    throw new StoreError(
      "foreign",
      `The file ${path} is a database, but not one of this backend. Give the backend another data folder.`,
    );
  }
  if (format > FORMAT_VERSION) {
    throw new StoreError(
      "newer_format",
      `The database ${path} has format ${format}; this program knows formats up to ${FORMAT_VERSION}. ` +
        "Start the newer version that wrote it.",
    );
  }
}

function formatOf(db: DatabaseSync): number | null {
  try {
    const value = db.prepare("SELECT value FROM meta WHERE name = 'format'").get()?.["value"];
    return typeof value === "number" ? value : null;
  } catch {
    // Somebody else's table that happens to be called meta.
    return null;
  }
}
