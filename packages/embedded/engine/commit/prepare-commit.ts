import { convexToJson } from "convex/values";
import type { Key } from "../../values/keys/key.ts";
import type { TableEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOf, keysOnlyIn } from "../model/index-keys.ts";
import type { DocumentJson, Timestamp } from "../model/types.ts";
import type { IndexChange } from "../snapshot/write-log.ts";
import type { StoreWrite } from "../store/store-write.ts";
import type { PendingDocument } from "../transaction/own-writes.ts";

type PreparedCommit = {
  readonly writes: readonly StoreWrite[];
  readonly changes: ReadonlyMap<string, readonly IndexChange[]>;
};

const noKeys: readonly Key[] = [];

/** Computes what a commit at `ts` changes in the store and in each index. Changes neither. */
export function prepareCommit(pending: ReadonlyMap<string, PendingDocument>, ts: Timestamp): PreparedCommit {
  const writes: StoreWrite[] = [];
  const changes = new Map<string, IndexChange[]>();
  for (const [id, { table, base, current }] of pending) {
    const after = current === null ? null : stored(table, current, ts);
    if (after !== null) {
      const { document, json } = after;
      writes.push({ kind: "put_document", id, table, document, json });
    } else if (base !== null) writes.push({ kind: "delete_document", id });
    table.indexes.forEach((index, at) => {
      const before = base?.keys[at] ?? noKeys;
      const now = after?.keys[at] ?? noKeys;
      const removed = keysOnlyIn(before, now);
      const added = keysOnlyIn(now, before);
      for (const key of removed) writes.push({ kind: "delete_entry", index, key });
      for (const key of added) writes.push({ kind: "put_entry", index, key, id });
      // Readers of a search index get its documents by id, so equal keys mean no change for them. If one key differs, all
      // count: with another value of a filter field, for example, the document is found by its terms or is not.
      if (index.search !== null && removed.length === 0 && added.length === 0) return;
      const list = listOf(changes, index.qualified);
      // An unchanged key counts as changed, too: its readers saw the old document.
      for (const key of before) list.push({ key, documentId: id, before: base?.document ?? null });
      for (const key of added) list.push({ key, documentId: id, before: null });
    });
  }
  return { writes, changes };
}

type Stored = KeyedDocument & { readonly json: string };

/** A document as stored at `ts`. It may contain `db.vars.commitTs`, filled in here. */
function stored(table: TableEntry, current: KeyedDocument, ts: Timestamp): Stored {
  const text = JSON.stringify(current.document);
  const json = withCommitTs(text, ts);
  if (json === text) return { ...current, json };
  const document = JSON.parse(json) as DocumentJson;
  return { document, keys: keysOf(table, document), json };
}

function listOf(changes: Map<string, IndexChange[]>, index: string): IndexChange[] {
  const known = changes.get(index);
  if (known !== undefined) return known;
  const list: IndexChange[] = [];
  changes.set(index, list);
  return list;
}

/** Fills in `db.vars.commitTs`. Inside a JSON string its quotes are escaped, so the pattern only matches values. */
function withCommitTs(json: string, ts: Timestamp): string {
  return json.includes('{"$commitTs":null}')
    ? json.replaceAll('{"$commitTs":null}', JSON.stringify(convexToJson(ts)))
    : json;
}
