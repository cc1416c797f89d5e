import { fieldAt, valueAt } from "../../values/keys/field-path.ts";
import type { Key } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import type { IndexEntry, TableEntry } from "./catalog.ts";
import type { DocumentJson } from "./types.ts";

/** The key under which an index holds a document. */
export function keyOf(index: Pick<IndexEntry, "keyFields">, document: DocumentJson): Key {
  return encodeKey(index.keyFields.map((path) => valueAt(document, path)));
}

/** A document with its keys in its table's indexes, in the order of the indexes. */
export type KeyedDocument = { readonly document: DocumentJson; readonly keys: readonly Key[] };

/**
 * A document's keys in its table's indexes, in the order of the indexes.
 * @param before an earlier version. Keys that are equal are taken from it: a change touches few of them.
 */
export function keysOf(
  table: Pick<TableEntry, "indexes">,
  document: DocumentJson,
  before: KeyedDocument | null = null,
): readonly Key[] {
  return table.indexes.map((index, at) => {
    const isSame =
      before !== null && index.keyFields.every((path) => isSameAt(path, document, before.document));
    return (isSame ? before.keys[at] : undefined) ?? keyOf(index, document);
  });
}

function isSameAt(path: string, left: DocumentJson, right: DocumentJson): boolean {
  return Object.is(fieldAt(left, path), fieldAt(right, path));
}

/** The key of an id in `by_id`. */
export function idKey(id: string): Key {
  return encodeKey([id]);
}
