import { assertNever } from "../../values/assert-never.ts";
import type { Key } from "../../values/keys/key.ts";
import type { IndexEntry, TableEntry } from "../model/catalog.ts";
import type { DocumentJson } from "../model/types.ts";
import type { Store } from "./store.ts";

export type StoreWrite =
  | {
      readonly kind: "put_document";
      readonly id: string;
      readonly table: TableEntry;
      readonly document: DocumentJson;
      readonly json: string;
    }
  | { readonly kind: "delete_document"; readonly id: string }
  | { readonly kind: "put_entry"; readonly index: IndexEntry; readonly key: Key; readonly id: string }
  | { readonly kind: "delete_entry"; readonly index: IndexEntry; readonly key: Key };

export function applyWrite(store: Store, write: StoreWrite): void {
  switch (write.kind) {
    case "put_document":
      store.putDocument(write.id, write.table.number, write.json);
      break;
    case "delete_document":
      store.deleteDocument(write.id);
      break;
    case "put_entry":
      store.putEntry(write.index, write.key, write.id);
      break;
    case "delete_entry":
      store.deleteEntry(write.index, write.key);
      break;
    default:
      assertNever(write);
  }
}
