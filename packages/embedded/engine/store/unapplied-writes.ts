import { emptyKey, type Key } from "../../values/keys/key.ts";
import { type KeyEntry, SortedKeyMap } from "../../values/keys/sorted-key-map.ts";

/** `json` is null for a deleted document. */
export type UnappliedDocument = { readonly tableNumber: number | null; readonly json: string | null };

/** A key's new entry is the document's id. Null: the tables have an entry that is deleted. */
export type EntryChange = KeyEntry<string | null>;

/**
 * Writes that the tables do not have yet, as one change. A document written twice is kept once, and an index entry that
 * was put and deleted leaves nothing. An index key belongs to one document, since it ends with the document's id.
 */
export class UnappliedWrites {
  readonly #documents = new Map<string, UnappliedDocument>();
  readonly #entries = new Map<number, SortedKeyMap<string | null>>();
  #entryCount = 0;
  #characters = 0;

  /** The number of changed documents and index entries. */
  get size(): number {
    return this.#documents.size + this.#entryCount;
  }

  /** The length of all documents, in characters. */
  get characters(): number {
    return this.#characters;
  }

  get documents(): Iterable<readonly [id: string, document: UnappliedDocument]> {
    return this.#documents;
  }

  /** The changes of each index by its id in the store, in the order of their keys. */
  get entries(): Iterable<readonly [index: number, changes: readonly EntryChange[]]> {
    return [...this.#entries].map(([index, map]) => [index, map.between(emptyKey, null)] as const);
  }

  /** Undefined if the tables have the document's newest state. */
  document(id: string): UnappliedDocument | undefined {
    return this.#documents.get(id);
  }

  /** Undefined if the tables have the key's newest state. */
  entry(index: number, key: Key): EntryChange | undefined {
    return this.#entries.get(index)?.get(key);
  }

  /** An index's changes with lower <= key < upper, in the order of their keys. */
  entriesBetween(index: number, lower: Key, upper: Key | null): readonly EntryChange[] {
    return this.#entries.get(index)?.between(lower, upper) ?? [];
  }

  setDocument(id: string, document: UnappliedDocument): void {
    this.#characters += (document.json?.length ?? 0) - (this.#documents.get(id)?.json?.length ?? 0);
    this.#documents.set(id, document);
  }

  putEntry(index: number, key: Key, documentId: string): void {
    this.#change(index, key, documentId);
  }

  deleteEntry(index: number, key: Key): void {
    this.#change(index, key, null);
  }

  clear(): void {
    this.#documents.clear();
    this.#entries.clear();
    this.#entryCount = 0;
    this.#characters = 0;
  }

  /** A second change of a key takes the first one back. */
  #change(index: number, key: Key, value: string | null): void {
    let map = this.#entries.get(index);
    if (map === undefined) {
      map = new SortedKeyMap();
      this.#entries.set(index, map);
    }
    const before = map.size;
    if (map.get(key) === undefined) map.set(key, value);
    else map.delete(key);
    this.#entryCount += map.size - before;
  }
}
