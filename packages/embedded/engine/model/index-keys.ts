import { valueAt } from "../../values/keys/field-path.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import type { IndexEntry, TableEntry } from "./catalog.ts";
import type { DocumentJson } from "./types.ts";

/** The key under which an index holds a document. */
export function keyOf(index: Pick<IndexEntry, "keyFields">, document: DocumentJson): Uint8Array {
  return encodeKey(index.keyFields.map((path) => valueAt(document, path)));
}

/** A document's keys in its table's indexes, in the order of the indexes. */
export function keysOf(table: Pick<TableEntry, "indexes">, document: DocumentJson): readonly Uint8Array[] {
  return table.indexes.map((index) => keyOf(index, document));
}

/** The key of an id in `by_id`. */
export function idKey(id: string): Uint8Array {
  return encodeKey([id]);
}
