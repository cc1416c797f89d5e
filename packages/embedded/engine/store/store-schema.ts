import { readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../model/errors.ts";
import { applyMigrations, createLog, formatVersion, readFormat, writeFormat } from "./file-format.ts";
import { createPrivate, isInMemory } from "./private-file.ts";

const createTables = `
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
  ${createLog}
`;

/** Bytes that the WAL keeps on disk after a checkpoint. A long read may make it longer meanwhile. */
const maxIdleWalBytes = 64 * 1024 * 1024;
/**
 * Pages of 4 KiB in the WAL at which a commit moves them into the main file. Commits write the same pages again and again,
 * so fewer checkpoints move fewer pages. 16 MB are read again after a crash.
 */
export const checkpointPages = 4_000;

/**
 * Locks the file for this process, checks that it is ours, migrates an older one and sets up a new one. Changes
 * nothing before the file is known to be ours.
 * @param options.keepsCopy whether a copy is kept before a migration
 */
export function prepareDatabase(
  db: DatabaseSync,
  path: string,
  { keepsCopy = true }: { readonly keepsCopy?: boolean } = {},
): void {
  // Set before the first access, this makes that access take the lock for the connection's lifetime. The lock ends
  // with the process, however it ends.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  const format = readFormat(db);
  if (format.kind === "foreign") throw foreign(path);
  if (format.kind === "ours") assertKnown(path, format.version);
  db.exec("PRAGMA journal_mode = WAL");
  // Checkpoints wait for the disk, on macOS with fullfsync. A COMMIT does not: the store syncs the WAL after it.
  db.exec("PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON; PRAGMA cache_size = -65536");
  // Deleted data is overwritten. FAST would keep texts that are longer than a page, which SQLite stores on pages of their own.
  db.exec("PRAGMA secure_delete = ON");
  db.exec(`PRAGMA wal_autocheckpoint = ${String(checkpointPages)}`);
  db.exec(`PRAGMA journal_size_limit = ${String(maxIdleWalBytes)}`);
  if (keepsCopy && format.kind === "ours" && format.version < formatVersion) {
    keepCopyBeforeMigration(db, path, format.version);
  }
  // Takes the lock even if the file needs no change.
  db.exec("BEGIN EXCLUSIVE");
  try {
    if (format.kind === "new") create(db);
    else if (format.version < formatVersion) applyMigrations(db, format.version);
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
  db.exec("COMMIT");
}

function create(db: DatabaseSync): void {
  db.exec(createTables);
  db.prepare("INSERT INTO meta VALUES ('last_ts', 1)").run();
  writeFormat(db, formatVersion);
}

function foreign(path: string): StoreError {
  return new StoreError(
    "foreign",
    `The file ${path} is a database, but not one of this backend. Give the backend another data folder.`,
  );
}

function assertKnown(path: string, version: number): void {
  if (version <= formatVersion) return;
  throw new StoreError(
    "newer_format",
    `The database ${path} has format ${String(version)}; this program knows formats up to ` +
      `${String(formatVersion)}. Start the newer version that wrote it, or restore a backup of this version.`,
  );
}

/** Path of the copy made before a migration from `version`. */
export function migrationCopyPath(path: string, version: number): string {
  return `${path}.format-${String(version)}`;
}

/**
 * Copies a file before its migration, so that the previous program can be used again. Only the newest copy is kept.
 * Throws SQLite's or the file system's error; the file is untouched then.
 */
function keepCopyBeforeMigration(db: DatabaseSync, path: string, version: number): void {
  if (isInMemory(path)) return;
  const copy = migrationCopyPath(path, version);
  const unfinished = `${copy}.part`;
  rmSync(unfinished, { force: true });
  createPrivate(unfinished);
  // Copies the database, not the file, to include the WAL.
  db.prepare("VACUUM INTO ?").run(unfinished);
  removeOlderCopies(path);
  renameSync(unfinished, copy);
}

function removeOlderCopies(path: string): void {
  const prefix = `${basename(path)}.format-`;
  for (const name of readdirSync(dirname(path))) {
    const isCopy = name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
    if (isCopy) rmSync(join(dirname(path), name), { force: true });
  }
}
