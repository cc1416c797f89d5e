import { fieldAt, valueAt } from "../../values/keys/field-path.ts";
import type { Key } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import { searchedFields, searchKeysOf } from "../search/search-keys.ts";
import type { IndexEntry, TableEntry } from "./catalog.ts";
import type { DocumentJson } from "./types.ts";

/** The encoded fields of one document, by their paths. */
type EncodedFields = Map<string, Key>;

/**
 * The keys under which an index holds a document: one, or any number if it is a search index.
 * @param encoded keeps what was encoded for other indexes: they have the same id, the same time, and often the same scope.
 */
export function indexKeys(
  { search, keyFields }: Pick<IndexEntry, "keyFields" | "search">,
  document: DocumentJson,
  encoded: EncodedFields = new Map(),
): readonly Key[] {
  if (search !== null) return searchKeysOf(search, document);
  // Joined, the key is one text. Added to each other, its parts would stay in memory until somebody compares the key.
  return [keyFields.map((path) => encodedAt(document, path, encoded)).join("")];
}

function encodedAt(document: DocumentJson, path: string, encoded: EncodedFields): Key {
  let key = encoded.get(path);
  if (key === undefined) {
    key = encodeKey([valueAt(document, path)]);
    encoded.set(path, key);
  }
  return key;
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
  const encoded: EncodedFields = new Map();
  return table.indexes.map((index, at) => {
    const fields = index.search === null ? index.keyFields : searchedFields(index.search);
    const isSame = before !== null && fields.every((path) => isSameAt(path, document, before.document));
    return (isSame ? before.keys[at] : undefined) ?? indexKeys(index, document, encoded);
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
