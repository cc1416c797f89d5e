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
 * The fields of a table's indexes, each once, and where each index has its fields in this list: the indexes have the same id, the
 * same time, and often the same scope.
 */
type KeyFields = { readonly paths: readonly string[]; readonly placesOf: readonly (readonly number[])[] };

const keyFieldsOfTables = new WeakMap<TableEntry["indexes"], KeyFields>();

function keyFieldsOf(indexes: TableEntry["indexes"]): KeyFields {
  let known = keyFieldsOfTables.get(indexes);
  if (known === undefined) {
    const fields = indexes.map(({ search, keyFields }) =>
      search === null ? keyFields : searchedFields(search),
    );
    const paths = [...new Set(fields.flat())];
    known = { paths, placesOf: fields.map((each) => each.map((path) => paths.indexOf(path))) };
    keyFieldsOfTables.set(indexes, known);
  }
  return known;
}

/**
 * A document's keys in its table's indexes, in the order of the indexes.
 * @param before an earlier version. Keys that are equal are taken from it: a change touches few of them.
 */
export function keysOf(
  { indexes }: Pick<TableEntry, "indexes">,
  document: DocumentJson,
  before: KeyedDocument | null = null,
): readonly (readonly Key[])[] {
  const { paths, placesOf } = keyFieldsOf(indexes);
  const isSame = before === null ? null : paths.map((path) => isSameAt(path, document, before.document));
  const encoded: Key[] = [];
  return indexes.map(({ search }, at) => {
    const places = placesOf[at] ?? [];
    const known = isSame !== null && places.every((place) => isSame[place]) ? before?.keys[at] : undefined;
    if (known !== undefined) return known;
    if (search !== null) return searchKeysOf(search, document);
    // Joined, the key is one text. Added to each other, its parts would stay in memory until somebody compares the key.
    return [
      places.map((place) => (encoded[place] ??= encodeKey([valueAt(document, paths[place] ?? "")]))).join(""),
    ];
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
