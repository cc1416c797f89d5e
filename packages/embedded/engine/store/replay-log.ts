import type { TableEntry } from "../model/catalog.ts";
import { StoreError } from "../model/errors.ts";
import { indexKeys, keysOnlyIn } from "../model/index-keys.ts";
import type { DocumentJson } from "../model/types.ts";
import type { UnappliedDocument, UnappliedWrites } from "./unapplied-writes.ts";

/** A logged write of a document. `json` is null if it deleted the document. */
export type LoggedWrite = UnappliedDocument & { readonly id: string };

/**
 * Adds the log's writes to `unapplied`, in the log's order. The log has no index entries: they follow from a document's
 * state before and after a write. Throws StoreError for a document of a table that is not there.
 * @param applied returns a document as the tables have it. Null if that cannot be read: then its entries stay as they are.
 */
export function replayLog(
  log: Iterable<LoggedWrite>,
  tables: readonly TableEntry[],
  unapplied: UnappliedWrites,
  applied: (id: string) => { readonly document: UnappliedDocument | null } | null,
): void {
  const byNumber = new Map(tables.map((table) => [table.number, table]));
  for (const { id, tableNumber, json } of log) {
    const known = unapplied.document(id);
    const read = known === undefined ? applied(id) : { document: known };
    if (read === null) {
      unapplied.setDocument(id, { tableNumber, json });
      continue;
    }
    const old = read.document;
    if (json === null && (old?.json ?? null) === null) continue;
    const table = byNumber.get(tableNumber ?? old?.tableNumber ?? -1);
    if (table === undefined) {
      throw new StoreError("corrupt", `The log has a document of a table that does not exist: ${id}.`);
    }
    const from = parse(old?.json ?? null);
    const to = parse(json);
    for (const index of table.indexes) {
      const before = from === null ? [] : indexKeys(index, from);
      const after = to === null ? [] : indexKeys(index, to);
      for (const key of keysOnlyIn(before, after)) unapplied.deleteEntry(index.id, key);
      for (const key of keysOnlyIn(after, before)) unapplied.putEntry(index.id, key, id);
    }
    unapplied.setDocument(id, { tableNumber: table.number, json });
  }
}

function parse(json: string | null): DocumentJson | null {
  return json === null ? null : (JSON.parse(json) as DocumentJson);
}
