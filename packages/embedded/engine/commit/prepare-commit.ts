import { convexToJson } from "convex/values";
import type { Key } from "../../values/keys/key.ts";
import type { TableEntry } from "../model/catalog.ts";
import { type KeyedDocument, keysOf, keysOnlyIn } from "../model/index-keys.ts";
import type { DocumentJson, Timestamp } from "../model/types.ts";
import { type ChangedDocument, CommitChanges } from "../snapshot/commit-changes.ts";
import type { StoreWrite } from "../store/store-write.ts";
import type { PendingDocument } from "../transaction/own-writes.ts";

type PreparedCommit = {
  readonly writes: readonly StoreWrite[];
  readonly changes: CommitChanges;
};

const noKeys: readonly Key[] = [];

/** Computes what a commit at `ts` changes in the store and in each index. Changes neither. */
export function prepareCommit(pending: ReadonlyMap<string, PendingDocument>, ts: Timestamp): PreparedCommit {
  const writes: StoreWrite[] = [];
  const documents: ChangedDocument[] = [];
  for (const [id, { table, base, current }] of pending) {
    const after = current === null ? null : stored(table, current, ts);
    if (after !== null) {
      const { document, json } = after;
      writes.push({ kind: "put_document", id, table, document, json });
    } else if (base !== null) writes.push({ kind: "delete_document", id });
    let old = base?.keys ?? [];
    const added = table.indexes.map((index, at) => {
      const before = base?.keys[at] ?? noKeys;
      const now = after?.keys[at] ?? noKeys;
      const onlyBefore = keysOnlyIn(before, now);
      const onlyNow = keysOnlyIn(now, before);
      for (const key of onlyBefore) writes.push({ kind: "delete_entry", index, key });
      for (const key of onlyNow) writes.push({ kind: "put_entry", index, key, id });
      // An unchanged key of an ordered index counts as changed, too: its readers saw the old document. Readers of a search index
      // get its documents by id, so equal keys mean no change for them, and a long text has thousands. If one key differs, all
      // count: with another value of a filter field, for example, the document is found by its terms or is not.
      const isSame = onlyBefore.length === 0 && onlyNow.length === 0;
      if (index.search !== null && isSame && before.length > 0) old = old.with(at, noKeys);
      return onlyNow;
    });
    documents.push({ id, table, before: base?.document ?? null, old, added });
  }
  return { writes, changes: new CommitChanges(documents) };
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

/** Fills in `db.vars.commitTs`. Inside a JSON string its quotes are escaped, so the pattern only matches values. */
function withCommitTs(json: string, ts: Timestamp): string {
  return json.includes('{"$commitTs":null}')
    ? json.replaceAll('{"$commitTs":null}', JSON.stringify(convexToJson(ts)))
    : json;
}
