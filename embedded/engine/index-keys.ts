import { valueAt } from "../values/field-path.ts";
import { encodeKey } from "../values/key-encoding.ts";
import type { IndexEntry } from "./catalog.ts";
import type { DocumentJson } from "./types.ts";

/** The key under which an index holds a document. */
export function keyOf(index: Pick<IndexEntry, "keyFields">, document: DocumentJson): Uint8Array {
  return encodeKey(index.keyFields.map((path) => valueAt(document, path)));
}

/** The key of an id in `by_id`. */
export function idKey(id: string): Uint8Array {
  return encodeKey([id]);
}
