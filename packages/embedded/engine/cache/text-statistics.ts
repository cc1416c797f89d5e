import { isBelow, type Key, successor } from "../../values/keys/key.ts";
import type { IndexEntry } from "../model/catalog.ts";
import type { TextStatistics } from "../search/bm25.ts";
import { documentBounds, isDocumentKey, termCount } from "../search/search-keys.ts";
import type { SearchSteps } from "../search/search-source.ts";
import type { Store } from "../store/store.ts";
import type { StoreWrite } from "../store/store-write.ts";

const pageSize = 1_024;

/** The keys below `from` are counted. Null: all of them. */
type Counted = TextStatistics & { readonly from: Key | null };

/** The store's newest numbers of documents and terms in text indexes, from the first search of each on. */
export class TextStatisticsCache {
  readonly #store: Store;
  readonly #known = new Map<number, Counted>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Counts in steps what was not counted before. Writes between the steps are counted, too. */
  *of(index: IndexEntry): SearchSteps<TextStatistics> {
    for (;;) {
      const known = this.#known.get(index.id) ?? { documents: 0, terms: 0, from: documentBounds.lower };
      if (known.from === null) return known;
      this.#known.set(index.id, this.#countPage(index, known, known.from));
      yield;
    }
  }

  /** Applies a write that the store has accepted. */
  wrote(write: StoreWrite): void {
    if (write.kind !== "put_entry" && write.kind !== "delete_entry") return;
    const known = this.#known.get(write.index.id);
    if (known === undefined || !isDocumentKey(write.key) || !isBelow(write.key, known.from)) return;
    const sign = write.kind === "put_entry" ? 1 : -1;
    this.#known.set(write.index.id, {
      documents: known.documents + sign,
      terms: known.terms + sign * termCount(write.key),
      from: known.from,
    });
  }

  clear(): void {
    this.#known.clear();
  }

  #countPage(index: IndexEntry, { documents, terms }: Counted, from: Key): Counted {
    const page = this.#store.scanIds(index, from, documentBounds.upper, "asc", pageSize);
    const last = page.length < pageSize ? undefined : page.at(-1);
    return {
      documents: documents + page.length,
      terms: page.reduce((sum, { key }) => sum + termCount(key), terms),
      from: last === undefined ? null : successor(last.key),
    };
  }
}
