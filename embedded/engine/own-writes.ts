import type { TableEntry } from "./catalog.ts";
import { keyOf } from "./index-keys.ts";
import { SortedKeyMap } from "./sorted-key-map.ts";
import type { DocumentJson } from "./types.ts";

export type PendingDocument = {
  readonly table: TableEntry;
  /** As the snapshot has it; null when this transaction inserted it. */
  readonly base: DocumentJson | null;
  /** As this transaction leaves it; null when removed. */
  readonly current: DocumentJson | null;
};

type JournalEntry = { readonly id: string; readonly previous: PendingDocument | undefined };

/** A transaction's writes before their commit: by id, and by key for its own scans. */
export class OwnWrites {
  readonly #documents = new Map<string, PendingDocument>();
  readonly #journal: JournalEntry[] = [];
  #overlays = new Map<string, SortedKeyMap<DocumentJson | null>>();

  get documents(): ReadonlyMap<string, PendingDocument> {
    return this.#documents;
  }

  get(id: string): PendingDocument | undefined {
    return this.#documents.get(id);
  }

  /** The documents (null: removed or moved away) that this transaction put under an index's keys. */
  overlay(qualifiedIndex: string): SortedKeyMap<DocumentJson | null> | undefined {
    return this.#overlays.get(qualifiedIndex);
  }

  /** Records that a document goes from what the transaction sees now to `current`. */
  put(id: string, table: TableEntry, seen: DocumentJson | null, current: DocumentJson | null): void {
    const previous = this.#documents.get(id);
    this.#journal.push({ id, previous });
    this.#documents.set(id, { table, base: previous === undefined ? seen : previous.base, current });
    this.#lay(table, seen, current);
  }

  savepoint(): number {
    return this.#journal.length;
  }

  rollbackTo(savepoint: number): void {
    if (!Number.isInteger(savepoint) || savepoint < 0 || savepoint > this.#journal.length) {
      throw new RangeError(`There is no savepoint ${savepoint}.`);
    }
    for (const { id, previous } of this.#journal.splice(savepoint).reverse()) {
      if (previous === undefined) this.#documents.delete(id);
      else this.#documents.set(id, previous);
    }
    this.#overlays = new Map();
    for (const { table, base, current } of this.#documents.values()) this.#lay(table, base, current);
  }

  #lay(table: TableEntry, from: DocumentJson | null, to: DocumentJson | null): void {
    for (const index of table.indexes) {
      let overlay = this.#overlays.get(index.qualified);
      if (overlay === undefined) {
        overlay = new SortedKeyMap();
        this.#overlays.set(index.qualified, overlay);
      }
      if (from !== null) overlay.set(keyOf(index, from), null);
      if (to !== null) overlay.set(keyOf(index, to), to);
    }
  }
}
