import { compareKeys, type Key, successor } from "../../values/keys/key.ts";
import type { IndexEntry } from "../model/catalog.ts";
import type { DocumentJson, ScanEntry, ScanOrder } from "../model/types.ts";
import type { TextStatistics } from "../search/bm25.ts";
import type { SearchSteps } from "../search/search-source.ts";
import type { IndexedId } from "../store/index-ranges.ts";
import type { Store } from "../store/store.ts";
import type { StoreWrite } from "../store/store-write.ts";
import { CachedRanges } from "./cached-ranges.ts";
import { DocumentCache } from "./document-cache.ts";
import { TextStatisticsCache } from "./text-statistics.ts";

/** Entries and ranges kept per index: most functions look at the same few rows again and again. */
const maxIndexSize = 2_048;
/** Larger pages are not cached: they are usually read once, and would evict rows that others need. */
const largestPage = 16;

/** The store's newest state, with recent reads kept in memory. The owner must report every write. */
export class ReadCache {
  readonly #store: Store;
  readonly #documents = new DocumentCache();
  readonly #indexes = new Map<number, CachedRanges>();
  readonly #statistics: TextStatisticsCache;

  constructor(store: Store) {
    this.#store = store;
    this.#statistics = new TextStatisticsCache(store);
  }

  document(id: string): DocumentJson | null {
    const cached = this.#documents.get(id);
    if (cached !== undefined) return cached;
    const json = this.#store.document(id);
    if (json === null) return null;
    const document = parse(json);
    this.#documents.set(id, document, json.length);
    return document;
  }

  /** At most `limit` entries of an index with lower <= key < upper, from the start, or from the end for `desc`. */
  scan(index: IndexEntry, lower: Key, upper: Key | null, order: ScanOrder, limit: number): ScanEntry[] {
    if (limit > largestPage) {
      const rows = this.#store.scan(index, lower, upper, order, limit);
      return rows.map(({ key, json }) => ({ key, document: parse(json) }));
    }
    if (upper !== null && compareKeys(lower, upper) >= 0) return [];
    const entries =
      this.#indexes.get(index.id)?.scan(lower, upper, order, limit) ??
      this.#read(index, lower, upper, order, limit);
    return entries.map(({ key, id }) => ({ key, document: this.document(id) as DocumentJson }));
  }

  /** The numbers of documents and terms in a text index. */
  textStatistics(index: IndexEntry): SearchSteps<TextStatistics> {
    return this.#statistics.of(index);
  }

  /** Applies a write that the store has accepted. */
  wrote(write: StoreWrite): void {
    if ("index" in write && write.index.search !== null) {
      this.#statistics.wrote(write);
      return;
    }
    switch (write.kind) {
      case "put_document":
        this.#documents.set(write.id, write.document, write.json.length);
        break;
      case "delete_document":
        this.#documents.delete(write.id);
        break;
      case "put_entry":
        this.#indexes.get(write.index.id)?.put(write);
        break;
      case "delete_entry":
        this.#indexes.get(write.index.id)?.delete(write.key);
        break;
    }
  }

  /** For changes other than document writes. */
  clear(): void {
    this.#documents.clear();
    this.#indexes.clear();
    this.#statistics.clear();
  }

  #read(
    index: IndexEntry,
    lower: Key,
    upper: Key | null,
    order: ScanOrder,
    limit: number,
  ): readonly IndexedId[] {
    const entries = this.#store.scanIds(index, lower, upper, order, limit);
    const ranges = this.#rangesOf(index);
    const last = entries.length < limit ? undefined : entries.at(-1);
    if (last === undefined) ranges.learn(lower, upper, order === "asc" ? entries : entries.toReversed());
    else if (order === "asc") ranges.learn(lower, successor(last.key), entries);
    else ranges.learn(last.key, upper, entries.toReversed());
    return entries;
  }

  #rangesOf({ id }: IndexEntry): CachedRanges {
    const known = this.#indexes.get(id);
    if (known !== undefined && known.size < maxIndexSize) return known;
    const ranges = new CachedRanges();
    this.#indexes.set(id, ranges);
    return ranges;
  }
}

function parse(json: string): DocumentJson {
  return JSON.parse(json) as DocumentJson;
}
