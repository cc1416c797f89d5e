import type { TableEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOf } from "../model/index-keys.ts";
import type { DocumentJson } from "../model/types.ts";
import { SortedKeyMap } from "../snapshot/sorted-key-map.ts";

export type PendingDocument = {
  readonly table: TableEntry;
  /** The snapshot's version; null when this transaction inserted it. */
  readonly base: KeyedDocument | null;
  /** This transaction's version; null when removed. */
  readonly current: KeyedDocument | null;
};

type JournalEntry = { readonly id: string; readonly previous: PendingDocument | undefined };

/** A transaction's uncommitted writes: by id, and by key for its own scans. */
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

  /** The documents that this transaction put under an index's keys; null for removed or moved ones. */
  overlay(qualifiedIndex: string): SortedKeyMap<DocumentJson | null> | undefined {
    return this.#overlays.get(qualifiedIndex);
  }

  /** Records that a document changes from `seen`, the transaction's present version, to `next`. */
  put(id: string, table: TableEntry, seen: DocumentJson | null, next: DocumentJson | null): void {
    const previous = this.#documents.get(id);
    this.#journal.push({ id, previous });
    const before = previous === undefined ? keyed(table, seen) : previous.current;
    const current = keyed(table, next, before);
    this.#documents.set(id, { table, base: previous === undefined ? before : previous.base, current });
    this.#overlayChange(table, before, current);
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
    for (const { table, base, current } of this.#documents.values())
      this.#overlayChange(table, base, current);
  }

  #overlayChange(table: TableEntry, from: KeyedDocument | null, to: KeyedDocument | null): void {
    for (const [at, index] of table.indexes.entries()) {
      let overlay = this.#overlays.get(index.qualified);
      if (overlay === undefined) {
        overlay = new SortedKeyMap();
        this.#overlays.set(index.qualified, overlay);
      }
      if (from !== null) overlay.set(from.keys[at] as Uint8Array, null);
      if (to !== null) overlay.set(to.keys[at] as Uint8Array, to.document);
    }
  }
}

function keyed(
  table: TableEntry,
  document: DocumentJson | null,
  before: KeyedDocument | null = null,
): KeyedDocument | null {
  return document === null ? null : { document, keys: keysOf(table, document, before) };
}
