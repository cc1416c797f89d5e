import { successor } from "../../values/keys/key.ts";
import type { IndexEntry } from "../model/catalog.ts";
import type { TextStatistics } from "../search/bm25.ts";
import { documentBounds, isDocumentKey, termCount } from "../search/search-keys.ts";
import type { Store } from "../store/store.ts";
import type { StoreWrite } from "../store/store-write.ts";

const pageSize = 1_024;

/** The store's newest numbers of documents and terms in text indexes, from the first search of each on. */
export class TextStatisticsCache {
  readonly #store: Store;
  readonly #known = new Map<number, TextStatistics>();

  constructor(store: Store) {
    this.#store = store;
  }

  of(index: IndexEntry): TextStatistics {
    let known = this.#known.get(index.id);
    if (known === undefined) {
      known = this.#count(index);
      this.#known.set(index.id, known);
    }
    return known;
  }

  /** Applies a write that the store has accepted. */
  wrote(write: StoreWrite): void {
    if (write.kind !== "put_entry" && write.kind !== "delete_entry") return;
    const known = this.#known.get(write.index.id);
    if (known === undefined || !isDocumentKey(write.key)) return;
    const sign = write.kind === "put_entry" ? 1 : -1;
    this.#known.set(write.index.id, {
      documents: known.documents + sign,
      terms: known.terms + sign * termCount(write.key),
    });
  }

  clear(): void {
    this.#known.clear();
  }

  #count(index: IndexEntry): TextStatistics {
    let [documents, terms] = [0, 0];
    let { lower } = documentBounds;
    for (;;) {
      const page = this.#store.scanIds(index, lower, documentBounds.upper, "asc", pageSize);
      documents += page.length;
      for (const { key } of page) terms += termCount(key);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return { documents, terms };
      lower = successor(last.key);
    }
  }
}
