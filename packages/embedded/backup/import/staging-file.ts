import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { IndexEntry } from "../../engine/model/catalog.ts";
import { keyOf } from "../../engine/model/index-keys.ts";
import type { DocumentJson } from "../../engine/model/types.ts";
import { createPrivate } from "../../engine/store/private-file.ts";
import { stagedIndexes } from "../../engine/store/staged-tables.ts";
import type { IndexDefinition } from "../../values/keys/index-fields.ts";

/** Documents of one transaction into the staging file, which nobody else reads meanwhile. */
const batch = 2_000;

/**
 * Where an import collects documents and their index entries before they take their place all at once. A file of
 * its own, so that the deployment's data file sees nothing of an import that fails, or of one that takes long.
 */
export class StagingFile {
  readonly #db: DatabaseSync;
  readonly #putDocument: StatementSync;
  readonly #putEntry: StatementSync;
  readonly #indexes = new Map<string, readonly IndexEntry[]>();
  #pending = 0;

  /** @param file must not exist */
  constructor(file: string) {
    createPrivate(file);
    this.#db = new DatabaseSync(file);
    // Lost with a crash, as the import is.
    this.#db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE documents (id TEXT PRIMARY KEY, table_name TEXT NOT NULL, json TEXT NOT NULL);
      CREATE TABLE entries (
        index_name TEXT NOT NULL, key BLOB NOT NULL, doc_id TEXT NOT NULL, PRIMARY KEY (index_name, key)
      ) WITHOUT ROWID;
      BEGIN`);
    this.#putDocument = this.#db.prepare("INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.#putEntry = this.#db.prepare("INSERT INTO entries VALUES (?, ?, ?)");
  }

  /** Names a table and the indexes that its documents are to be found by. */
  declare(table: string, indexes: readonly IndexDefinition[]): void {
    this.#indexes.set(table, stagedIndexes(table, indexes));
  }

  /** Adds a document with its system fields. False when there is one with this id already. */
  add(table: string, document: DocumentJson): boolean {
    const id = document["_id"] as string;
    const { changes } = this.#putDocument.run(id, table, JSON.stringify(document));
    if (changes === 0) return false;
    for (const index of this.#indexes.get(table) ?? []) {
      this.#putEntry.run(index.qualified, keyOf(index, document), id);
    }
    this.#pending += 1;
    if (this.#pending % batch === 0) this.#db.exec("COMMIT; BEGIN");
    return true;
  }

  /** Ends the writing: the file can be put in place now. */
  close(): void {
    if (!this.#db.isOpen) return;
    if (this.#db.isTransaction) this.#db.exec("COMMIT");
    this.#db.close();
  }
}
