import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { IndexEntry } from "../../engine/model/catalog.ts";
import { indexKeys } from "../../engine/model/index-keys.ts";
import type { DocumentJson } from "../../engine/model/types.ts";
import { createPrivate } from "../../engine/store/private-file.ts";
import { stagedIndexes } from "../../engine/store/staged-tables.ts";
import type { IndexDefinition } from "../../values/keys/index-fields.ts";
import { keyToBytes } from "../../values/keys/key.ts";

/** Documents per transaction. Nothing else reads the staging file meanwhile. */
const batch = 2_000;

/**
 * Collects an import's documents and index entries before they are put in place all at once. It is a separate
 * file, so a slow or failed import does not touch the deployment's data file.
 */
export class StagingFile {
  readonly #db: DatabaseSync;
  readonly #putDocument: StatementSync;
  readonly #putEntry: StatementSync;
  readonly #indexes = new Map<string, readonly IndexEntry[]>();
  #pending = 0;

  /** @param file path of the new file; it must not exist */
  constructor(file: string) {
    createPrivate(file);
    this.#db = new DatabaseSync(file);
    // A crash may lose the file: it ends the import too.
    this.#db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE documents (id TEXT PRIMARY KEY, table_name TEXT NOT NULL, json TEXT NOT NULL);
      CREATE TABLE entries (
        index_name TEXT NOT NULL, key BLOB NOT NULL, doc_id TEXT NOT NULL, PRIMARY KEY (index_name, key)
      ) WITHOUT ROWID;
      BEGIN`);
    this.#putDocument = this.#db.prepare("INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.#putEntry = this.#db.prepare("INSERT INTO entries VALUES (?, ?, ?)");
  }

  /** Declares a table and its indexes. */
  declare(table: string, indexes: readonly IndexDefinition[]): void {
    this.#indexes.set(table, stagedIndexes(table, indexes));
  }

  /** Adds a document with its system fields. False if its id is taken. */
  add(table: string, document: DocumentJson): boolean {
    const id = document["_id"] as string;
    const { changes } = this.#putDocument.run(id, table, JSON.stringify(document));
    if (changes === 0) return false;
    for (const index of this.#indexes.get(table) ?? []) {
      for (const key of indexKeys(index, document)) this.#putEntry.run(index.qualified, keyToBytes(key), id);
    }
    this.#pending += 1;
    if (this.#pending % batch === 0) this.#db.exec("COMMIT; BEGIN");
    return true;
  }

  /** Finishes writing, so that the file can be put in place. */
  close(): void {
    if (!this.#db.isOpen) return;
    if (this.#db.isTransaction) this.#db.exec("COMMIT");
    this.#db.close();
  }
}
