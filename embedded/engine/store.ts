import { DatabaseSync, type StatementSync } from "node:sqlite";
import { indexEntry, type IndexEntry, type TableEntry } from "./catalog.ts";
import { createPrivate, makePrivate } from "./private-file.ts";
import { openingError } from "./sqlite-errors.ts";
import { prepareDatabase } from "./store-schema.ts";
import type { ScanOrder, Timestamp } from "./types.ts";

export type StoredRow = { readonly key: Uint8Array; readonly json: string };

// No encoded key is empty or starts with 0xff. An empty blob would be bound as NULL.
const LOWEST = Uint8Array.of(0x00);
const HIGHEST = Uint8Array.of(0xff);

/**
 * The latest version of each document and its index entries, in one SQLite file that this process alone may open.
 * Writes go into one open SQLite transaction, are seen by reads at once and are on disk after `flush`.
 */
export class Store {
  readonly #db: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  #isOpen = false;

  /** Opens or creates the file; ":memory:" for tests. Throws StoreError. */
  constructor(path: string) {
    let db: DatabaseSync | null = null;
    try {
      createPrivate(path);
      db = new DatabaseSync(path);
      prepareDatabase(db, path);
      makePrivate(path);
      this.#statements = prepareStatements(db);
      this.#db = db;
    } catch (error) {
      db?.close();
      throw openingError(path, error);
    }
  }

  lastTimestamp(): Timestamp {
    return this.#statements.lastTimestamp.get()?.["value"] as bigint;
  }

  tables(): TableEntry[] {
    const indexes = this.#db.prepare("SELECT id, table_number, name, fields FROM indexes ORDER BY id").all();
    const tables = this.#db.prepare("SELECT number, name FROM tables").all();
    return tables.map((row) => {
      const name = row["name"] as string;
      const own = indexes.filter((index) => index["table_number"] === row["number"]);
      return { number: row["number"] as number, name, indexes: own.map((index) => readIndex(name, index)) };
    });
  }

  /** A document's JSON text, or null. */
  document(id: string): string | null {
    const row = this.#statements.document.get(id);
    return row === undefined ? null : (row["json"] as string);
  }

  /** At most `limit` rows of an index with lower <= key < upper, from its start or (desc) its end. */
  scan(
    index: IndexEntry,
    lower: Uint8Array,
    upper: Uint8Array | null,
    order: ScanOrder,
    limit: number,
  ): StoredRow[] {
    const statement = order === "asc" ? this.#statements.scanUp : this.#statements.scanDown;
    const from = lower.length === 0 ? LOWEST : lower;
    return statement.all(index.id, from, upper ?? HIGHEST, limit) as unknown as StoredRow[];
  }

  putDocument(id: string, tableNumber: number, json: string): void {
    this.#begin();
    this.#statements.putDocument.run(id, tableNumber, json);
  }

  deleteDocument(id: string): void {
    this.#begin();
    this.#statements.deleteDocument.run(id);
  }

  putEntry(index: IndexEntry, key: Uint8Array, documentId: string): void {
    this.#begin();
    this.#statements.putEntry.run(index.id, key, documentId);
  }

  deleteEntry(index: IndexEntry, key: Uint8Array): void {
    this.#begin();
    this.#statements.deleteEntry.run(index.id, key);
  }

  createTable({ number, name, indexes }: TableEntry): void {
    this.#begin();
    this.#db.prepare("INSERT INTO tables VALUES (?, ?)").run(number, name);
    for (const index of indexes) this.createIndex(number, index);
  }

  /** Records an index; its entries are put by the caller. */
  createIndex(tableNumber: number, { id, name, fields }: IndexEntry): void {
    this.#begin();
    this.#db
      .prepare("INSERT INTO indexes VALUES (?, ?, ?, ?)")
      .run(id, tableNumber, name, JSON.stringify(fields));
  }

  dropIndex({ id }: IndexEntry): void {
    this.#begin();
    this.#db.prepare("DELETE FROM index_entries WHERE index_id = ?").run(id);
    this.#db.prepare("DELETE FROM indexes WHERE id = ?").run(id);
  }

  /** Puts everything written so far on disk, with the timestamp of the last commit in it. */
  flush(lastTimestamp: Timestamp): void {
    this.#begin();
    this.#statements.setLastTimestamp.run(lastTimestamp);
    this.#db.exec("COMMIT");
    this.#isOpen = false;
  }

  /** Releases the file. What was not flushed is lost. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #begin(): void {
    if (this.#isOpen) return;
    this.#db.exec("BEGIN IMMEDIATE");
    this.#isOpen = true;
  }
}

function prepareStatements(
  db: DatabaseSync,
): Record<
  | "lastTimestamp"
  | "setLastTimestamp"
  | "document"
  | "putDocument"
  | "deleteDocument"
  | "putEntry"
  | "deleteEntry"
  | "scanUp"
  | "scanDown",
  StatementSync
> {
  const lastTimestamp = db.prepare("SELECT value FROM meta WHERE name = 'last_ts'");
  lastTimestamp.setReadBigInts(true);
  const scan = `SELECT e.key AS key, d.json AS json FROM index_entries e JOIN documents d ON d.id = e.doc_id
    WHERE e.index_id = ? AND e.key >= ? AND e.key < ? ORDER BY e.key`;
  return {
    lastTimestamp,
    setLastTimestamp: db.prepare("UPDATE meta SET value = ? WHERE name = 'last_ts'"),
    document: db.prepare("SELECT json FROM documents WHERE id = ?"),
    putDocument: db.prepare(
      "INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
    ),
    deleteDocument: db.prepare("DELETE FROM documents WHERE id = ?"),
    putEntry: db.prepare("INSERT INTO index_entries VALUES (?, ?, ?)"),
    deleteEntry: db.prepare("DELETE FROM index_entries WHERE index_id = ? AND key = ?"),
    scanUp: db.prepare(`${scan} ASC LIMIT ?`),
    scanDown: db.prepare(`${scan} DESC LIMIT ?`),
  };
}

function readIndex(table: string, row: Record<string, unknown>): IndexEntry {
  const fields = JSON.parse(row["fields"] as string) as string[];
  return indexEntry(row["id"] as number, table, { name: row["name"] as string, fields });
}
