import { convexToJson } from "convex/values";
import { compareKeys, type Key } from "../../values/keys/key.ts";
import type { IndexEntry, TableEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOf } from "../model/index-keys.ts";
import type { DocumentJson, Timestamp } from "../model/types.ts";
import type { IndexChange } from "../snapshot/write-log.ts";
import type { StoreWrite } from "../store/store-write.ts";
import type { PendingDocument } from "../transaction/own-writes.ts";

type PreparedCommit = {
  readonly writes: readonly StoreWrite[];
  readonly changes: ReadonlyMap<string, readonly IndexChange[]>;
};

type Version = { readonly document: DocumentJson; readonly key: Key } | null;

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
    for (const [at, index] of table.indexes.entries()) {
      const from = versionOf(base, at);
      const to = versionOf(after, at);
      writes.push(...entryWrites(index, id, from, to));
      const list = changes.get(index.qualified) ?? [];
      list.push(...indexChanges(id, from, to));
      changes.set(index.qualified, list);
    }
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

function versionOf(keyed: KeyedDocument | null, at: number): Version {
  return keyed === null ? null : { document: keyed.document, key: keyed.keys[at] as Key };
}

function entryWrites(index: IndexEntry, id: string, from: Version, to: Version): StoreWrite[] {
  if (isSameKey(from, to)) return [];
  const writes: StoreWrite[] = [];
  if (from !== null) writes.push({ kind: "delete_entry", index, key: from.key });
  if (to !== null) writes.push({ kind: "put_entry", index, key: to.key, id });
  return writes;
}

// An unchanged key counts as changed too: its readers saw the old document.
function indexChanges(documentId: string, from: Version, to: Version): IndexChange[] {
  if (from !== null && isSameKey(from, to)) {
    return [{ key: from.key, documentId, before: from.document }];
  }
  const changes: IndexChange[] = [];
  if (from !== null) changes.push({ key: from.key, documentId, before: from.document });
  if (to !== null) changes.push({ key: to.key, documentId, before: null });
  return changes;
}

function isSameKey(from: Version, to: Version): boolean {
  return from !== null && to !== null && compareKeys(from.key, to.key) === 0;
}

/** Fills in `db.vars.commitTs`. Inside a JSON string its quotes are escaped, so the pattern only matches values. */
function withCommitTs(json: string, ts: Timestamp): string {
  return json.includes('{"$commitTs":null}')
    ? json.replaceAll('{"$commitTs":null}', JSON.stringify(convexToJson(ts)))
    : json;
}
