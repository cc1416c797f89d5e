import type { Key } from "../../values/keys/key.ts";
import type { IndexEntry } from "../model/catalog.ts";
import type { DocumentJson } from "../model/types.ts";

export type ChangedTable = { readonly indexes: readonly Pick<IndexEntry, "qualified">[] };

/** Keys in each index of a table, in the order of the indexes. */
type KeysByIndex = readonly (readonly Key[])[];

/** A document that a commit wrote. */
export type ChangedDocument = {
  readonly id: string;
  readonly table: ChangedTable;
  /** As it was; null if it is new. */
  readonly before: DocumentJson | null;
  /** Its keys before, in the indexes that changed for their readers. */
  readonly old: KeysByIndex;
  /** The keys that it has only now. */
  readonly added: KeysByIndex;
};

/**
 * Gets an index key that a commit wrote, and the document before. The store has the document after. It returns true to get no
 * more.
 */
type OnChange = (key: Key, documentId: string, before: DocumentJson | null) => boolean | undefined;

const none: readonly Key[] = [];

/**
 * A commit's changes in each index. It keeps them by document, and looks up those of an index when somebody asks: a table may
 * have dozens of indexes, and few of them have a reader at the time.
 */
export class CommitChanges {
  readonly #documents: readonly ChangedDocument[];
  /** The tables of the changed documents, each once. */
  readonly tables: readonly ChangedTable[];
  /** The number of keys in all indexes. No others are kept. */
  readonly size: number;

  constructor(documents: readonly ChangedDocument[]) {
    this.#documents = documents;
    const tables: ChangedTable[] = [];
    let size = 0;
    for (const { table, old, added } of documents) {
      if (!tables.includes(table)) tables.push(table);
      for (const keys of old) size += keys.length;
      for (const keys of added) size += keys.length;
    }
    this.tables = tables;
    this.size = size;
  }

  /** Calls back with each changed key of an index, until the callback returns true. */
  visit(qualifiedIndex: string, onChange: OnChange): void {
    let table: ChangedTable | undefined;
    let at: number | undefined;
    for (const document of this.#documents) {
      if (document.table !== table) {
        table = document.table;
        at = placesOf(table).get(qualifiedIndex);
      }
      if (at !== undefined && visitKeys(document, at, onChange)) return;
    }
  }

  /** Calls back with each changed key of the indexes for which `wanted` gives something. */
  visitAll<T>(wanted: (qualifiedIndex: string) => T | undefined, onChange: (of: T, key: Key) => void): void {
    for (const { table, old, added } of this.#documents) {
      const { indexes } = table;
      for (let at = 0; at < indexes.length; at += 1) {
        const of = wanted(indexes[at]?.qualified ?? "");
        if (of === undefined) continue;
        for (const key of old[at] ?? none) onChange(of, key);
        for (const key of added[at] ?? none) onChange(of, key);
      }
    }
  }
}

/**
 * Tells whether the callback returned true.
 * @param at the index's place among those of the table.
 */
function visitKeys({ id, before, old, added }: ChangedDocument, at: number, onChange: OnChange): boolean {
  for (const key of old[at] ?? none) if (onChange(key, id, before) === true) return true;
  for (const key of added[at] ?? none) if (onChange(key, id, null) === true) return true;
  return false;
}

const places = new WeakMap<ChangedTable["indexes"], ReadonlyMap<string, number>>();

/** The places of a table's indexes, by their qualified names. */
function placesOf({ indexes }: ChangedTable): ReadonlyMap<string, number> {
  let known = places.get(indexes);
  if (known === undefined) {
    known = new Map(indexes.map(({ qualified }, at) => [qualified, at]));
    places.set(indexes, known);
  }
  return known;
}
