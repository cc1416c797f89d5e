import { SortedKeyMap } from "../../values/keys/sorted-key-map.ts";
import type { TableEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOf } from "../model/index-keys.ts";
import type { DocumentJson } from "../model/types.ts";

export type PendingDocument = {
  readonly table: TableEntry;
  /** The snapshot's version; null when this transaction inserted it. */
  readonly base: KeyedDocument | null;
  /** This transaction's version; null when removed. */
  readonly current: KeyedDocument | null;
};

type Overlay = SortedKeyMap<DocumentJson | null>;

type JournalEntry = { readonly id: string; readonly previous: PendingDocument | undefined };

/** A transaction's uncommitted writes: by id, and by key for its own scans. */
export class OwnWrites {
  readonly #documents = new Map<string, PendingDocument>();
  readonly #journal: JournalEntry[] = [];
  /** By qualified index, of those that were scanned. Few are, and a table may have dozens. */
  readonly #overlays = new Map<string, Overlay>();

  get documents(): ReadonlyMap<string, PendingDocument> {
    return this.#documents;
  }

  get(id: string): PendingDocument | undefined {
    return this.#documents.get(id);
  }

  /** The documents that this transaction put under an index's keys; null for removed or moved ones. */
  overlay(qualifiedIndex: string): Overlay | undefined {
    if (this.#documents.size === 0) return undefined;
    let overlay = this.#overlays.get(qualifiedIndex);
    if (overlay === undefined) {
      overlay = new SortedKeyMap();
      this.#overlays.set(qualifiedIndex, overlay);
      for (const { table, base, current } of this.#documents.values()) {
        const at = table.indexes.findIndex(({ qualified }) => qualified === qualifiedIndex);
        if (at >= 0) change(overlay, at, base, current);
      }
    }
    return overlay;
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
    this.#overlays.clear();
  }

  #overlayChange(table: TableEntry, from: KeyedDocument | null, to: KeyedDocument | null): void {
    if (this.#overlays.size === 0) return;
    for (const [at, { qualified }] of table.indexes.entries()) {
      const overlay = this.#overlays.get(qualified);
      if (overlay !== undefined) change(overlay, at, from, to);
    }
  }
}

/** @param at the index's place among those of its table. */
function change(overlay: Overlay, at: number, from: KeyedDocument | null, to: KeyedDocument | null): void {
  for (const key of from?.keys[at] ?? []) overlay.set(key, null);
  if (to === null) return;
  for (const key of to.keys[at] ?? []) overlay.set(key, to.document);
}

function keyed(
  table: TableEntry,
  document: DocumentJson | null,
  before: KeyedDocument | null = null,
): KeyedDocument | null {
  return document === null ? null : { document, keys: keysOf(table, document, before) };
}
