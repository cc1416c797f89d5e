import type { Key } from "../../values/keys/key.ts";
import type { IndexEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOnlyIn } from "../model/index-keys.ts";
import type { DocumentJson } from "../model/types.ts";

type Table = { readonly indexes: readonly Pick<IndexEntry, "qualified" | "search">[] };

/** A document that a commit wrote. */
export type ChangedDocument = {
  readonly id: string;
  readonly table: Table;
  /** As it was, with its keys; null if it is new. */
  readonly before: KeyedDocument | null;
  /** Its keys now; null if it was deleted. */
  readonly keys: KeyedDocument["keys"] | null;
};

/** Gets an index key that a commit wrote, and the document before. The store has the document after. */
type OnChange = (key: Key, documentId: string, before: DocumentJson | null) => void;

const none: readonly Key[] = [];

/**
 * What a commit changed in each index. It keeps the documents, and finds their keys in an index when somebody asks: a table may
 * have dozens of indexes, and few of them have a reader at the time.
 */
export class CommitChanges {
  readonly #documents: readonly ChangedDocument[];
  /** The number of keys in all indexes. */
  readonly size: number;

  constructor(documents: readonly ChangedDocument[]) {
    this.#documents = documents;
    let size = 0;
    const count = (): void => void (size += 1);
    for (const document of documents)
      for (let at = 0; at < document.table.indexes.length; at += 1) visitKeys(document, at, count);
    this.size = size;
  }

  /** Calls back with each changed key of an index. */
  visit(qualifiedIndex: string, onChange: OnChange): void {
    for (const document of this.#documents) {
      const at = placesOf(document.table).get(qualifiedIndex);
      if (at !== undefined) visitKeys(document, at, onChange);
    }
  }

  /** Calls back with each changed key of the indexes for which `wanted` gives something. */
  visitAll<T>(wanted: (qualifiedIndex: string) => T | undefined, onChange: (of: T, key: Key) => void): void {
    for (const document of this.#documents) {
      const { indexes } = document.table;
      for (let at = 0; at < indexes.length; at += 1) {
        const of = wanted(indexes[at]?.qualified ?? "");
        if (of !== undefined) visitKeys(document, at, (key) => onChange(of, key));
      }
    }
  }
}

/** @param at the index's place among those of the table. */
function visitKeys({ id, table, before, keys }: ChangedDocument, at: number, onChange: OnChange): void {
  const old = before?.keys[at] ?? none;
  const now = keys?.[at] ?? none;
  const added = keysOnlyIn(now, old);
  // Readers of a search index get its documents by id, so equal keys mean no change for them. If one key differs, all
  // count: with another value of a filter field, for example, the document is found by its terms or is not.
  const isSearch = table.indexes[at]?.search !== null;
  if (isSearch && added.length === 0 && keysOnlyIn(old, now).length === 0) return;
  // An unchanged key counts as changed, too: its readers saw the old document.
  for (const key of old) onChange(key, id, before?.document ?? null);
  for (const key of added) onChange(key, id, null);
}

const places = new WeakMap<Table["indexes"], ReadonlyMap<string, number>>();

/** The places of a table's indexes, by their qualified names. */
function placesOf({ indexes }: Table): ReadonlyMap<string, number> {
  let known = places.get(indexes);
  if (known === undefined) {
    known = new Map(indexes.map(({ qualified }, at) => [qualified, at]));
    places.set(indexes, known);
  }
  return known;
}
