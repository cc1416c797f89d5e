import { DatabaseSync } from "node:sqlite";
import { type IndexEntry, indexEntry, type TableEntry } from "../model/catalog.ts";
import type { ScanOrder, Timestamp } from "../model/types.ts";
import { createPrivate, makePrivate } from "./private-file.ts";
import { isDamage, openingError } from "./sqlite-errors.ts";
import { checkpointPages, prepareDatabase } from "./store-schema.ts";
import { prepareStatements, type Statements } from "./store-statements.ts";
import { WalFile } from "./wal-file.ts";

/** Maximum size in pages of 4 KiB. Tests use it to fill a disk. */
type StoreLimits = { readonly maxPages?: number };

type StoredRow = { readonly key: Uint8Array; readonly json: string };
export type IndexedId = { readonly key: Uint8Array; readonly id: string };

// No encoded key is empty or starts with 0xff. SQLite would bind an empty blob as NULL.
const lowest = Uint8Array.of(0x00);
const highest = Uint8Array.of(0xff);

const verified = "verified:";

/**
 * The latest version of each document and its index entries, in one SQLite file that only this process may open.
 * Writes go into one open SQLite transaction. Reads see them at once; `flush`, or `commit` and then `sync`, puts them on
 * disk.
 */
export class Store {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #wal: WalFile;
  #isOpen = false;

  /** Opens or creates the file; ":memory:" for tests. Throws StoreError. */
  constructor(path: string, limits: StoreLimits = {}) {
    this.path = path;
    let db: DatabaseSync | null = null;
    try {
      createPrivate(path);
      db = new DatabaseSync(path);
      prepareDatabase(db, path);
      if (limits.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${String(limits.maxPages)}`);
      makePrivate(path);
      this.#statements = prepareStatements(db);
      this.#wal = new WalFile(path);
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
    const row = this.#read(() => this.#statements.document.get(id));
    return row === undefined ? null : (row["json"] as string);
  }

  /** At most `limit` rows of an index with lower <= key < upper, from the start, or from the end for `desc`. */
  scan(
    index: IndexEntry,
    lower: Uint8Array,
    upper: Uint8Array | null,
    order: ScanOrder,
    limit: number,
  ): StoredRow[] {
    const statement = order === "asc" ? this.#statements.scanUp : this.#statements.scanDown;
    const from = lower.length === 0 ? lowest : lower;
    return this.#read(() => statement.all(index.id, from, upper ?? highest, limit)) as unknown as StoredRow[];
  }

  /** Like `scan`, with ids instead of documents. */
  scanIds(
    index: IndexEntry,
    lower: Uint8Array,
    upper: Uint8Array | null,
    order: ScanOrder,
    limit: number,
  ): IndexedId[] {
    const statement = order === "asc" ? this.#statements.scanIdsUp : this.#statements.scanIdsDown;
    const from = lower.length === 0 ? lowest : lower;
    return this.#read(() => statement.all(index.id, from, upper ?? highest, limit)) as unknown as IndexedId[];
  }

  /** Counts an index's entries with lower <= key < upper, without reading documents. */
  count(index: IndexEntry, lower: Uint8Array, upper: Uint8Array | null): number {
    const from = lower.length === 0 ? lowest : lower;
    const row = this.#read(() => this.#statements.countEntries.get(index.id, from, upper ?? highest));
    return row?.["n"] as number;
  }

  hasEntry(index: IndexEntry, key: Uint8Array): boolean {
    return this.#read(() => this.#statements.hasEntry.get(index.id, key)) !== undefined;
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

  /** Records an index. The caller adds its entries. */
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

  /** Puts everything written so far on disk, with the last commit's timestamp. Blocks meanwhile. */
  flush(lastTimestamp: Timestamp): void {
    this.commit(lastTimestamp);
    this.#wal.syncNow();
  }

  /** Hands everything written so far to the operating system, with the last commit's timestamp. `sync` puts it on disk. */
  commit(lastTimestamp: Timestamp): void {
    this.#begin();
    this.#statements.setLastTimestamp.run(lastTimestamp);
    this.#db.exec("COMMIT");
    this.#isOpen = false;
  }

  /** Calls `done` when everything committed before is on disk, or with the disk's error. One call at a time. */
  sync(done: (error: Error | null) => void): void {
    this.#wal.sync(done);
  }

  /** Resolves when no call of `sync` is at work. */
  synced(): Promise<void> {
    return this.#wal.idle();
  }

  /** The fingerprints last set by `setVerified`. */
  verified(): ReadonlyMap<string, string> {
    const rows = this.#db.prepare("SELECT name, value FROM meta WHERE name LIKE 'verified:%'").all();
    return new Map(
      rows.map((row) => [(row["name"] as string).slice(verified.length), row["value"] as string]),
    );
  }

  /** Stores, per table, the fingerprint of the schema that its documents fit. Replaces the earlier ones. */
  setVerified(fingerprints: ReadonlyMap<string, string>): void {
    this.#begin();
    this.#db.exec("DELETE FROM meta WHERE name LIKE 'verified:%'");
    const insert = this.#db.prepare("INSERT INTO meta VALUES (?, ?)");
    for (const [table, fingerprint] of fingerprints) insert.run(`${verified}${table}`, fingerprint);
  }

  /** Rolls back all writes since the last flush. */
  rollback(): void {
    if (this.#isOpen && this.#db.isTransaction) this.#db.exec("ROLLBACK");
    this.#isOpen = false;
  }

  countEntries(index: IndexEntry): number {
    const row = this.#db.prepare("SELECT count(*) AS n FROM index_entries WHERE index_id = ?").get(index.id);
    return row?.["n"] as number;
  }

  /** Removes a table with its documents and indexes. */
  dropTable(table: TableEntry): void {
    this.#begin();
    const remove = this.#db.prepare(
      "DELETE FROM documents WHERE id IN (SELECT doc_id FROM index_entries WHERE index_id = ?)",
    );
    const byId = table.indexes.find((index) => index.name === "by_id");
    if (byId !== undefined) remove.run(byId.id);
    for (const index of table.indexes) this.dropIndex(index);
    this.#db.prepare("DELETE FROM tables WHERE number = ?").run(table.number);
  }

  /** Runs `body` with a staging file attached. Nothing may be unflushed. */
  withStaging<T>(file: string, body: () => T): T {
    this.#db.prepare("ATTACH ? AS staging").run(file);
    try {
      return body();
    } finally {
      this.rollback();
      this.#db.exec("DETACH staging");
    }
  }

  /** The first staged document of a table whose id is already used, or null. */
  takenStagedId(table: string): string | null {
    const row = this.#db
      .prepare(
        "SELECT id FROM staging.documents AS staged WHERE table_name = ? AND EXISTS (SELECT 1 FROM main.documents AS d WHERE d.id = staged.id) LIMIT 1",
      )
      .get(table);
    return row === undefined ? null : (row["id"] as string);
  }

  /** Moves a table's staged documents and index entries into the store. */
  takeStaged(name: string, { number, indexes }: TableEntry): void {
    this.#begin();
    this.#db
      .prepare("INSERT INTO main.documents SELECT id, ?, json FROM staging.documents WHERE table_name = ?")
      .run(number, name);
    const move = this.#db.prepare(
      "INSERT INTO main.index_entries SELECT ?, key, doc_id FROM staging.entries WHERE index_name = ? ORDER BY key",
    );
    for (const index of indexes) move.run(index.id, index.qualified);
  }

  /** SQLite's durability settings. */
  settings(): {
    readonly synchronous: number;
    readonly walAutocheckpoint: number;
    readonly journalSizeLimit: number;
  } {
    const value = (name: string) =>
      Object.values(this.#db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
    return {
      synchronous: value("synchronous"),
      walAutocheckpoint: value("wal_autocheckpoint"),
      journalSizeLimit: value("journal_size_limit"),
    };
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  /**
   * Brings the main file up to date and freezes it until the returned function is called: commits meanwhile stay in
   * the WAL. Nothing may be unflushed.
   */
  freezeMainFile(): () => void {
    const [result] = this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    if (result?.["busy"] !== 0) throw new Error("The WAL is in use and cannot be moved into the main file.");
    this.#db.exec("PRAGMA wal_autocheckpoint = 0");
    return () => {
      if (this.#db.isOpen) this.#db.exec(`PRAGMA wal_autocheckpoint = ${String(checkpointPages)}`);
    };
  }

  /** Copies the committed data into a new file. Blocks, so use it only for small in-memory databases. */
  vacuumInto(file: string): void {
    this.#db.prepare("VACUUM INTO ?").run(file);
  }

  /** Releases the file. Unflushed writes are lost. */
  close(): void {
    this.#wal.close();
    if (this.#db.isOpen) this.#db.close();
  }

  /** Turns damage found while reading into an error for the operator. */
  #read<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw isDamage(error) ? openingError(this.path, error) : error;
    }
  }

  #begin(): void {
    if (this.#isOpen) return;
    this.#db.exec("BEGIN IMMEDIATE");
    this.#isOpen = true;
  }
}

function readIndex(table: string, row: Record<string, unknown>): IndexEntry {
  const fields = JSON.parse(row["fields"] as string) as string[];
  return indexEntry(row["id"] as number, table, { name: row["name"] as string, fields });
}
