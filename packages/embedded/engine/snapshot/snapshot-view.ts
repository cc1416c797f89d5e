import { compareKeys, emptyKey, type Key, successor } from "../../values/keys/key.ts";
import { type KeyEntry, SortedKeyMap } from "../../values/keys/sorted-key-map.ts";
import type { ReadCache } from "../cache/read-cache.ts";
import { type IndexEntry, qualify } from "../model/catalog.ts";
import { SnapshotTooOldError } from "../model/errors.ts";
import { idKey } from "../model/index-keys.ts";
import type { DocumentJson, ScanEntry, ScanOrder, Timestamp } from "../model/types.ts";
import type { TextStatistics } from "../search/bm25.ts";
import { documentBounds, termCount } from "../search/search-keys.ts";
import type { SearchSteps } from "../search/search-source.ts";
import type { IndexedId } from "../store/index-ranges.ts";
import type { Store } from "../store/store.ts";
import type { WriteLog } from "./write-log.ts";

type Page<Entry> = {
  readonly entries: readonly Entry[];
  /** The unread rest: after the page (asc) or before it (desc); null when nothing is left. */
  readonly rest: { readonly lower: Key; readonly upper: Key | null } | null;
};

/** Undoes newer commits in one index: the document under each changed key, as of the snapshot. */
type Undo = { readonly before: SortedKeyMap<DocumentJson | null>; upTo: Timestamp };

/** The committed documents at one timestamp: the store's newest state with newer commits undone. */
export class SnapshotView {
  readonly #store: Store;
  readonly #cache: ReadCache;
  readonly #log: WriteLog;
  readonly #snapshot: Timestamp;
  readonly #undo = new Map<string, Undo>();

  constructor(store: Store, cache: ReadCache, log: WriteLog, snapshot: Timestamp) {
    this.#store = store;
    this.#cache = cache;
    this.#log = log;
    this.#snapshot = snapshot;
  }

  get(table: string, id: string): DocumentJson | null {
    const undone = this.#undoOf(qualify(table, "by_id"))?.get(idKey(id));
    if (undone !== undefined) return undone.value;
    return this.#cache.document(id);
  }

  /** Reads about `limit` entries from the start (asc) or the end (desc) of a range, in scan order. */
  page(index: IndexEntry, lower: Key, upper: Key | null, order: ScanOrder, limit: number): Page<ScanEntry> {
    const undo = this.#undoOf(index.qualified);
    const stored = this.#cache.scan(index, lower, upper, order, limit);
    const last = stored.length < limit ? undefined : stored.at(-1);
    const rest =
      last === undefined
        ? null
        : order === "asc"
          ? { lower: successor(last.key), upper }
          : { lower, upper: last.key };
    if (undo === null) return { entries: stored, rest };
    // Undo only the part just read: the rest is undone with its own page.
    const readLower = rest !== null && order === "desc" ? (rest.upper as Key) : lower;
    const readUpper = rest !== null && order === "asc" ? rest.lower : upper;
    return { entries: withUndone(stored, undo.between(readLower, readUpper), order), rest };
  }

  /** Reads about `limit` keys from the start of a range, with the ids of their documents. */
  ids(index: IndexEntry, lower: Key, upper: Key | null, limit: number): Page<IndexedId> {
    const stored = this.#store.scanIds(index, lower, upper, "asc", limit);
    const last = stored.length < limit ? undefined : stored.at(-1);
    const rest = last === undefined ? null : { lower: successor(last.key), upper };
    const undone = this.#undoOf(index.qualified)?.between(lower, rest === null ? upper : rest.lower) ?? [];
    return { entries: withChanges(stored, undone), rest };
  }

  /** The numbers of documents and terms in a text index. */
  *textStatistics(index: IndexEntry): SearchSteps<TextStatistics> {
    const { lower, upper } = documentBounds;
    let { documents, terms } = yield* this.#cache.textStatistics(index);
    for (const { key, value } of this.#undoOf(index.qualified)?.between(lower, upper) ?? []) {
      const sign = Number(value !== null) - Number(this.#store.hasEntry(index, key));
      documents += sign;
      terms += sign * termCount(key);
    }
    return { documents, terms };
  }

  /** Counts a range's entries by its keys only. */
  count(index: IndexEntry, lower: Key, upper: Key | null): number {
    let total = this.#store.count(index, lower, upper);
    for (const { key, value } of this.#undoOf(index.qualified)?.between(lower, upper) ?? []) {
      total += Number(value !== null) - Number(this.#store.hasEntry(index, key));
    }
    return total;
  }

  has(index: IndexEntry, key: Key): boolean {
    const undone = this.#undoOf(index.qualified)?.get(key);
    return undone === undefined ? this.#store.hasEntry(index, key) : undone.value !== null;
  }

  #undoOf(qualifiedIndex: string): SortedKeyMap<DocumentJson | null> | null {
    if (this.#snapshot < this.#log.floor) throw new SnapshotTooOldError(this.#snapshot, this.#log.floor);
    if (this.#snapshot >= this.#log.newest) return null;
    let undo = this.#undo.get(qualifiedIndex);
    if (undo === undefined) {
      undo = { before: new SortedKeyMap(), upTo: this.#snapshot };
      this.#undo.set(qualifiedIndex, undo);
    }
    const known = undo.before;
    for (const record of this.#log.since(undo.upTo)) {
      record.changes.visit(qualifiedIndex, (key, _, before) => {
        // The first commit after the snapshot holds the snapshot's value; later ones do not.
        if (known.get(key) === undefined) known.set(key, before);
      });
      undo.upTo = record.ts;
    }
    return known;
  }
}

function withUndone(
  stored: readonly ScanEntry[],
  undone: readonly KeyEntry<DocumentJson | null>[],
  order: ScanOrder,
): readonly ScanEntry[] {
  if (undone.length === 0) return stored;
  const merged = new SortedKeyMap<DocumentJson | null>();
  for (const { key, document } of stored) merged.set(key, document);
  for (const { key, value } of undone) merged.set(key, value);
  const entries = merged
    .between(emptyKey, null)
    .flatMap(({ key, value }) => (value === null ? [] : [{ key, document: value }]));
  return order === "asc" ? entries : entries.reverse();
}

/** Applies changed documents to an index's entries. Null: the document is not under that key. */
export function withChanges(
  entries: readonly IndexedId[],
  changes: readonly KeyEntry<DocumentJson | null>[],
): readonly IndexedId[] {
  if (changes.length === 0) return entries;
  const merged = new Map(entries.map((entry) => [entry.key, entry]));
  for (const { key, value } of changes) {
    if (value === null) merged.delete(key);
    else merged.set(key, { key, id: value["_id"] as string });
  }
  return [...merged.values()].sort((a, b) => compareKeys(a.key, b.key));
}
