import { convexToJson } from "convex/values";
import type { Key } from "../../values/keys/key.ts";
import type { IndexEntry, TableEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOf, keysOnlyIn } from "../model/index-keys.ts";
import type { DocumentJson, Timestamp } from "../model/types.ts";
import type { IndexChange } from "../snapshot/write-log.ts";
import type { StoreWrite } from "../store/store-write.ts";
import type { PendingDocument } from "../transaction/own-writes.ts";

type PreparedCommit = {
  readonly writes: readonly StoreWrite[];
  readonly changes: ReadonlyMap<string, readonly IndexChange[]>;
};

/** A document with its keys in one index. */
type Version = { readonly document: DocumentJson; readonly keys: readonly Key[] } | null;

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
      for (const write of entryWrites(index, id, from, to)) writes.push(write);
      const list = changes.get(index.qualified) ?? [];
      for (const change of indexChanges(index, id, from, to)) list.push(change);
      if (list.length > 0) changes.set(index.qualified, list);
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
  return keyed === null ? null : { document: keyed.document, keys: keyed.keys[at] ?? [] };
}

function entryWrites(index: IndexEntry, id: string, from: Version, to: Version): StoreWrite[] {
  const [before, after] = [from?.keys ?? [], to?.keys ?? []];
  return [
    ...keysOnlyIn(before, after).map((key): StoreWrite => ({ kind: "delete_entry", index, key })),
    ...keysOnlyIn(after, before).map((key): StoreWrite => ({ kind: "put_entry", index, key, id })),
  ];
}

/**
 * An unchanged key counts as changed too: its readers saw the old document. Readers of a search index do not, since they get
 * its documents by id. So a document whose keys there are the same has not changed for them. If one key differs, all count: for
 * example, with another value of a filter field the document is found by its terms or is not.
 */
function indexChanges(index: IndexEntry, documentId: string, from: Version, to: Version): IndexChange[] {
  const before = from?.keys ?? [];
  const added = keysOnlyIn(to?.keys ?? [], before);
  if (index.search !== null && added.length === 0 && keysOnlyIn(before, to?.keys ?? []).length === 0)
    return [];
  return [
    ...before.map((key): IndexChange => ({ key, documentId, before: from?.document ?? null })),
    ...added.map((key): IndexChange => ({ key, documentId, before: null })),
  ];
}

/** Fills in `db.vars.commitTs`. Inside a JSON string its quotes are escaped, so the pattern only matches values. */
function withCommitTs(json: string, ts: Timestamp): string {
  return json.includes('{"$commitTs":null}')
    ? json.replaceAll('{"$commitTs":null}', JSON.stringify(convexToJson(ts)))
    : json;
}
