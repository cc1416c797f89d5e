import { compareKeys } from "../../values/keys/key.ts";
import type { TableEntry } from "../model/catalog.ts";
import { keyOf } from "../model/index-keys.ts";
import type { DocumentJson } from "../model/types.ts";
import type { UnappliedDocument, UnappliedWrites } from "./unapplied-writes.ts";

/** A logged write of a document. `json` is null if it deleted the document. */
export type LoggedWrite = UnappliedDocument & { readonly id: string };

/**
 * Adds the log's writes to `unapplied`, in the log's order. The log has no index entries: they follow from a document's
 * state before and after a write.
 * @param applied returns a document as the tables have it, or null
 */
export function replayLog(
  log: Iterable<LoggedWrite>,
  tables: readonly TableEntry[],
  unapplied: UnappliedWrites,
  applied: (id: string) => UnappliedDocument | null,
): void {
  const byNumber = new Map(tables.map((table) => [table.number, table]));
  for (const { id, tableNumber, json } of log) {
    const before = unapplied.document(id) ?? applied(id);
    const table = byNumber.get(tableNumber ?? before?.tableNumber ?? -1);
    if (table === undefined) continue;
    const from = parse(before?.json ?? null);
    const to = parse(json);
    for (const index of table.indexes) {
      const fromKey = from === null ? null : keyOf(index, from);
      const toKey = to === null ? null : keyOf(index, to);
      if (fromKey !== null && toKey !== null && compareKeys(fromKey, toKey) === 0) continue;
      if (fromKey !== null) unapplied.deleteEntry(index.id, fromKey);
      if (toKey !== null) unapplied.putEntry(index.id, toKey, id);
    }
    unapplied.setDocument(id, { tableNumber: table.number, json });
  }
}

function parse(json: string | null): DocumentJson | null {
  return json === null ? null : (JSON.parse(json) as DocumentJson);
}
