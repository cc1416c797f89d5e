import type { DocumentJson } from "../../engine/model/types.ts";
import type { Store } from "../../engine/store/store.ts";
import { FILE_TABLE } from "../../storage/file-rows.ts";
import { prefixEnd } from "../../values/keys/bytes.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";

type FileRow = { readonly storageId: string; readonly key: string };

/** Under what a copied database has the bytes of a `_storage` document. */
export function fileRowOf(store: Store, document: DocumentJson): FileRow {
  const index = store
    .tables()
    .find(({ name }) => name === FILE_TABLE.name)
    ?.indexes.find(({ name }) => name === "by_file");
  const prefix = encodeKey([document["_id"]]);
  const [row] = index === undefined ? [] : store.scan(index, prefix, prefixEnd(prefix), "asc", 1);
  if (row === undefined) throw new Error(`The file ${document["_id"] as string} has no bytes on record.`);
  const { storageId, key } = JSON.parse(row.json) as DocumentJson;
  return { storageId: storageId as string, key: key as string };
}
