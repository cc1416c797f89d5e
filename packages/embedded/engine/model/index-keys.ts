import { fieldAt, valueAt } from "../../values/keys/field-path.ts";
import type { Key } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import { searchedFields, searchKeysOf } from "../search/search-keys.ts";
import type { IndexEntry, TableEntry } from "./catalog.ts";
import type { DocumentJson } from "./types.ts";

/** The keys under which an index holds a document: one, or any number if it is a search index. */
export function indexKeys(
  { search, keyFields }: Pick<IndexEntry, "keyFields" | "search">,
  document: DocumentJson,
): readonly Key[] {
  if (search !== null) return searchKeysOf(search, document);
  return [encodeKey(keyFields.map((path) => valueAt(document, path)))];
}

/** A document with its keys in its table's indexes, in the order of the indexes. */
export type KeyedDocument = { readonly document: DocumentJson; readonly keys: readonly (readonly Key[])[] };

/**
 * A document's keys in its table's indexes, in the order of the indexes.
 * @param before an earlier version. Keys that are equal are taken from it: a change touches few of them.
 */
export function keysOf(
  table: Pick<TableEntry, "indexes">,
  document: DocumentJson,
  before: KeyedDocument | null = null,
): readonly (readonly Key[])[] {
  return table.indexes.map((index, at) => {
    const fields = index.search === null ? index.keyFields : searchedFields(index.search);
    const isSame = before !== null && fields.every((path) => isSameAt(path, document, before.document));
    return (isSame ? before.keys[at] : undefined) ?? indexKeys(index, document);
  });
}

function isSameAt(path: string, left: DocumentJson, right: DocumentJson): boolean {
  return Object.is(fieldAt(left, path), fieldAt(right, path));
}

/** The key of an id in `by_id`. */
export function idKey(id: string): Key {
  return encodeKey([id]);
}

const none: readonly Key[] = [];

/** The keys that only the first of two lists has. */
export function keysOnlyIn(keys: readonly Key[], others: readonly Key[]): readonly Key[] {
  if (keys === others) return none;
  if (keys.length === 0 || others.length === 0) return keys;
  if (keys.length === 1 && others.length === 1) return keys[0] === others[0] ? none : keys;
  const known = new Set(others);
  return keys.filter((key) => !known.has(key));
}
