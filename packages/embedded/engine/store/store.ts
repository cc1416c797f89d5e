import { DatabaseSync } from "node:sqlite";
import { type Key, keyToBytes } from "../../values/keys/key.ts";
import { type IndexEntry, indexEntry, type TableEntry } from "../model/catalog.ts";
import { StoreError } from "../model/errors.ts";
import type { ScanOrder, Timestamp } from "../model/types.ts";
import { bounds, growth, type IndexedId, indexedId, lowest, merged, withKey } from "./index-ranges.ts";
import { createPrivate, makePrivate } from "./private-file.ts";
import { type LoggedWrite, replayLog } from "./replay-log.ts";
import { isDamage, openingError } from "./sqlite-errors.ts";
import { checkpointPages, prepareDatabase } from "./store-schema.ts";
import { prepareStatements, type Statements } from "./store-statements.ts";
import { type UnappliedDocument, UnappliedWrites } from "./unapplied-writes.ts";
import { WalFile } from "./wal-file.ts";

type StoreOptions = {
  /** Maximum size in pages of 4 KiB. Tests use it to fill a disk. */
  readonly maxPages?: number;
  /** Opens a damaged file, too, to read what can be read. */
  readonly salvage?: boolean;
};

type StoredRow = { readonly key: Key; readonly json: string };

const verified = "verified:";

/**
 * A commit moves everything into the tables when this many documents and index entries have changed, or their documents have
 * this many characters. A higher limit would save little, and the thread of all functions would wait longer.
 */
const mostUnapplied = { changes: 4_096, characters: 1_048_576 } as const;
/** The same for the log, which keeps every version of a document. */
const mostLogged = { versions: 4_096, characters: 4_194_304 } as const;

/**
 * The latest version of each document and its index entries, in one SQLite file that only this process may open.
 *
 * A commit of a few documents adds them to a log. Memory keeps them with their index entries until one later commit moves
 * all of them into the tables. A document has dozens of index entries, each on another page of the file. An entry that is
 * deleted before that is never written. Reads see all writes at once. `flush`, or `commit` and then `sync`, puts them on disk.
 */
export class Store {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #wal: WalFile;
  readonly #unapplied = new UnappliedWrites();
  /** The ids of documents that neither the log nor the tables have as they are now. */
  readonly #unlogged = new Set<string>();
  /** The versions of documents in the log, and their characters. */
  #logged = { versions: 0, characters: 0 };
  #lastLogged: Timestamp | null = null;
  #isPartial = false;
  #isOpen = false;

  /** Opens or creates the file; ":memory:" for tests. Throws StoreError. */
  constructor(path: string, { maxPages, salvage = false }: StoreOptions = {}) {
    this.path = path;
    let db: DatabaseSync | null = null;
    try {
      createPrivate(path);
      db = new DatabaseSync(path);
      prepareDatabase(db, path, { keepsCopy: !salvage });
      if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${String(maxPages)}`);
      makePrivate(path);
      this.#statements = prepareStatements(db);
      this.#wal = new WalFile(path);
      this.#db = db;
      this.#replay(salvage);
    } catch (error) {
      db?.close();
      throw openingError(path, error);
    }
  }

  lastTimestamp(): Timestamp {
    return this.#lastLogged ?? (this.#statements.lastTimestamp.get()?.["value"] as bigint);
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
    return (this.#unapplied.document(id) ?? this.#applied(id))?.json ?? null;
  }

  /** At most `limit` rows of an index with lower <= key < upper, from the start, or from the end for `desc`. */
  scan(index: IndexEntry, lower: Key, upper: Key | null, order: ScanOrder, limit: number): StoredRow[] {
    if (this.#unapplied.size > 0) {
      const entries = this.scanIds(index, lower, upper, order, limit);
      return entries.map(({ key, id }) => ({ key, json: this.document(id) as string }));
    }
    const statement = order === "asc" ? this.#statements.scanUp : this.#statements.scanDown;
    return this.#read(() => statement.all(index.id, ...bounds(lower, upper), limit)).map(
      withKey,
    ) as StoredRow[];
  }

  /** Like `scan`, with ids instead of documents. */
  scanIds(index: IndexEntry, lower: Key, upper: Key | null, order: ScanOrder, limit: number): IndexedId[] {
    const statement = order === "asc" ? this.#statements.scanIdsUp : this.#statements.scanIdsDown;
    const changes = this.#unapplied.entriesBetween(index.id, lower, upper);
    return this.#read(() => {
      if (changes.length === 0) {
        return statement.all(index.id, ...bounds(lower, upper), limit).map(indexedId);
      }
      const applied = statement.iterate(index.id, ...bounds(lower, upper), -1);
      return merged(applied as Iterable<object>, changes, order, limit);
    });
  }

  /** Counts an index's entries with lower <= key < upper, without reading documents. */
  count(index: IndexEntry, lower: Key, upper: Key | null): number {
    const row = this.#read(() => this.#statements.countEntries.get(index.id, ...bounds(lower, upper)));
    return (row?.["n"] as number) + growth(this.#unapplied.entriesBetween(index.id, lower, upper));
  }

  hasEntry(index: IndexEntry, key: Key): boolean {
    const change = this.#unapplied.entry(index.id, key);
    if (change !== undefined) return change.value !== null;
    return this.#read(() => this.#statements.hasEntry.get(index.id, keyToBytes(key))) !== undefined;
  }

  putDocument(id: string, tableNumber: number, json: string): void {
    this.#unapplied.setDocument(id, { tableNumber, json });
    this.#unlogged.add(id);
  }

  deleteDocument(id: string): void {
    this.#unapplied.setDocument(id, { tableNumber: null, json: null });
    this.#unlogged.add(id);
  }

  /** The index must not have the key. */
  putEntry(index: IndexEntry, key: Key, documentId: string): void {
    this.#unapplied.putEntry(index.id, key, documentId);
  }

  /** The index must have the key. */
  deleteEntry(index: IndexEntry, key: Key): void {
    this.#unapplied.deleteEntry(index.id, key);
  }

  /** Adds an entry of a new index, for a document that the tables have. */
  backfillEntry(index: IndexEntry, key: Key, documentId: string): void {
    this.#begin();
    this.#statements.putEntry.run(index.id, keyToBytes(key), documentId);
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

  /** Moves everything written so far into the tables and puts it on disk, with the last commit's timestamp. Blocks meanwhile. */
  flush(lastTimestamp: Timestamp): void {
    this.apply(lastTimestamp);
    this.#wal.syncNow();
  }

  /** Hands everything written so far to the operating system, with the last commit's timestamp. `sync` puts it on disk. */
  commit(lastTimestamp: Timestamp): void {
    if (this.#isFull || this.#unlogged.size === 0) {
      this.apply(lastTimestamp);
      return;
    }
    this.#begin();
    for (const id of this.#unlogged) {
      const { tableNumber, json } = this.#unapplied.document(id) as UnappliedDocument;
      this.#statements.putLogged.run(lastTimestamp, id, tableNumber, json);
      this.#countLogged(json);
    }
    this.#db.exec("COMMIT");
    this.#isOpen = false;
    this.#unlogged.clear();
    this.#lastLogged = lastTimestamp;
  }

  /** Whether there are writes in SQLite's open transaction. */
  get isWriting(): boolean {
    return this.#isOpen;
  }

  /** Whether there are writes that the tables do not have. */
  get hasUnapplied(): boolean {
    return this.#unapplied.size > 0 || this.#lastLogged !== null;
  }

  /**
   * Like `commit`, and moves everything into the tables. If SQLite fails, what was logged stays in the log, and only writes in
   * the open transaction are lost.
   */
  apply(lastTimestamp: Timestamp): void {
    this.#begin();
    try {
      this.#applyAll(lastTimestamp);
    } catch (error) {
      this.#rollbackOpen();
      throw error;
    }
    this.#isOpen = false;
    this.#unapplied.clear();
    this.#unlogged.clear();
    this.#logged = { versions: 0, characters: 0 };
    this.#lastLogged = null;
  }

  #applyAll(lastTimestamp: Timestamp): void {
    const { putDocument, deleteDocument, putEntry, deleteEntry, setLastTimestamp } = this.#statements;
    for (const [id, { tableNumber, json }] of this.#unapplied.documents) {
      if (json === null) deleteDocument.run(id);
      else putDocument.run(id, tableNumber, json);
    }
    for (const [index, changes] of this.#unapplied.entries) {
      for (const { key, value } of changes) {
        if (value === null) deleteEntry.run(index, keyToBytes(key));
        else putEntry.run(index, keyToBytes(key), value);
      }
    }
    if (this.#lastLogged !== null) this.#db.exec("DELETE FROM log");
    setLastTimestamp.run(lastTimestamp);
    this.#db.exec("COMMIT");
  }

  get #isFull(): boolean {
    const { size, characters } = this.#unapplied;
    return (
      size >= mostUnapplied.changes ||
      characters >= mostUnapplied.characters ||
      this.#logged.versions >= mostLogged.versions ||
      this.#logged.characters >= mostLogged.characters
    );
  }

  #countLogged(json: string | null): void {
    this.#logged.versions += 1;
    this.#logged.characters += json?.length ?? 0;
  }

  /** Whether a file that was opened with `salvage` lacks documents that could not be read. */
  get isPartial(): boolean {
    return this.#isPartial;
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

  /** Takes back all writes since the last `flush`. Call it only if nothing was committed since. */
  rollback(): void {
    this.#rollbackOpen();
    this.#unapplied.clear();
    this.#unlogged.clear();
  }

  countEntries(index: IndexEntry): number {
    return this.count(index, lowest, null);
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

  /** Runs `body` with a staging file attached, right after a `flush`. */
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
   * the WAL. Call it right after a `flush`.
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

  /** Releases the file. Writes that were not committed are lost. */
  close(): void {
    this.#wal.close();
    if (this.#db.isOpen) this.#db.close();
  }

  /** A document as the tables have it, or null. */
  #applied(id: string): UnappliedDocument | null {
    const row = this.#read(() => this.#statements.document.get(id));
    return (row as UnappliedDocument | undefined) ?? null;
  }

  /** Reads the log that an earlier process left. Throws StoreError for a damaged file, unless `salvage` is set. */
  #replay(salvage: boolean): void {
    const log = this.#salvaged(salvage, () => this.#log()) ?? [];
    const last = log.at(-1);
    if (last === undefined) return;
    replayLog(log, this.tables(), this.#unapplied, (id) =>
      this.#salvaged(salvage, () => ({ document: this.#applied(id) })),
    );
    for (const { json } of log) this.#countLogged(json);
    const stored = this.lastTimestamp();
    // A restore sets a later timestamp in the tables.
    this.#lastLogged = last.ts > stored ? last.ts : stored;
  }

  #log(): readonly (LoggedWrite & { readonly ts: Timestamp })[] {
    const statement = this.#db.prepare("SELECT ts, id, table_number, json FROM log ORDER BY number");
    statement.setReadBigInts(true);
    return this.#read(() => statement.all()).map((row) => ({
      ts: row["ts"] as bigint,
      id: row["id"] as string,
      tableNumber: row["table_number"] === null ? null : Number(row["table_number"]),
      json: row["json"] as string | null,
    }));
  }

  /** The body's result. Null if it meets damage and `salvage` is set. */
  #salvaged<T>(salvage: boolean, body: () => T): T | null {
    try {
      return body();
    } catch (error) {
      if (!salvage || !(error instanceof StoreError)) throw error;
      this.#isPartial = true;
      return null;
    }
  }

  #rollbackOpen(): void {
    if (this.#isOpen && this.#db.isTransaction) this.#db.exec("ROLLBACK");
    this.#isOpen = false;
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
