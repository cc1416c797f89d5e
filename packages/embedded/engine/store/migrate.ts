import { assertNever } from "../../values/assert-never.ts";
import { emptyKey, type Key, successor } from "../../values/keys/key.ts";
import type { Catalog, IndexEntry, TableEntry } from "../model/catalog.ts";
import { indexKeys } from "../model/index-keys.ts";
import type { SchemaChange } from "../model/schema-diff.ts";
import type { DocumentJson } from "../model/types.ts";
import type { Store } from "./store.ts";

const backfillPage = 256;

/** Applies schema changes in the store's open transaction and in the catalog. The caller flushes. */
export function migrate(store: Store, catalog: Catalog, changes: readonly SchemaChange[]): void {
  for (const table of catalog.takeUnsaved()) store.createTable(table);
  for (const change of changes) apply(store, catalog, change);
}

function apply(store: Store, catalog: Catalog, change: SchemaChange): void {
  if (change.kind === "create_table") {
    const created = catalog.draftTable(change.table);
    store.createTable(created);
    catalog.put(created);
    return;
  }
  const table = catalog.byName(change.table) as TableEntry;
  switch (change.kind) {
    case "create_index": {
      const index = catalog.draftIndex(table.name, change.index);
      store.createIndex(table.number, index);
      backfill(store, table, index);
      catalog.put({ ...table, indexes: [...table.indexes, index] });
      break;
    }
    case "drop_index": {
      const dropped = table.indexes.filter((index) => index.name === change.index);
      for (const index of dropped) store.dropIndex(index);
      catalog.put({ ...table, indexes: table.indexes.filter((index) => !dropped.includes(index)) });
      break;
    }
    default:
      assertNever(change);
  }
}

function backfill(store: Store, table: TableEntry, created: IndexEntry): void {
  const byId = table.indexes.find((index) => index.name === "by_id") as IndexEntry;
  let lower: Key | null = emptyKey;
  while (lower !== null) {
    const rows = store.scan(byId, lower, null, "asc", backfillPage);
    for (const { json } of rows) {
      const document = JSON.parse(json) as DocumentJson;
      for (const key of indexKeys(created, document)) {
        store.backfillEntry(created, key, document["_id"] as string);
      }
    }
    const last = rows.at(-1);
    lower = last === undefined ? null : successor(last.key);
  }
}
