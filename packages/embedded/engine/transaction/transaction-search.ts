import type { Key } from "../../values/keys/key.ts";
import type { KeyEntry } from "../../values/keys/sorted-key-map.ts";
import type { IndexEntry } from "../model/catalog.ts";
import type { DocumentJson } from "../model/types.ts";
import type { TextStatistics } from "../search/bm25.ts";
import { documentBounds, type KeyBounds, termCount } from "../search/search-keys.ts";
import type { FoundKey, SearchSource, SearchSteps } from "../search/search-source.ts";
import { type SnapshotView, withChanges } from "../snapshot/snapshot-view.ts";
import type { OwnWrites } from "./own-writes.ts";

/** Keys in a page. A vector has up to 16 KiB. */
const pageSizes = { text: 1_024, vector: 128 } as const;

/** A search index as a transaction sees it: the snapshot's keys and the transaction's own writes. */
export class TransactionSearch implements SearchSource {
  readonly #view: SnapshotView;
  readonly #writes: OwnWrites;
  readonly #index: IndexEntry;
  readonly #assertUsable: () => void;

  constructor(options: {
    readonly view: SnapshotView;
    readonly writes: OwnWrites;
    readonly index: IndexEntry;
    readonly assertUsable: () => void;
  }) {
    this.#view = options.view;
    this.#writes = options.writes;
    this.#index = options.index;
    this.#assertUsable = options.assertUsable;
  }

  *pages({ lower, upper }: KeyBounds): Generator<readonly FoundKey[]> {
    const pageSize = pageSizes[this.#index.search?.kind ?? "text"];
    for (let from: Key | null = lower; from !== null;) {
      this.#assertUsable();
      const { entries, rest } = this.#view.ids(this.#index, from, upper, pageSize);
      const end: Key = rest?.lower ?? upper;
      yield withChanges(entries, this.#own(from, end));
      from = rest === null ? null : end;
    }
  }

  *statistics(): SearchSteps<TextStatistics> {
    this.#assertUsable();
    let { documents, terms } = yield* this.#view.textStatistics(this.#index);
    for (const { key, value } of this.#own(documentBounds.lower, documentBounds.upper)) {
      const sign = Number(value !== null) - Number(this.#view.has(this.#index, key));
      documents += sign;
      terms += sign * termCount(key);
    }
    return { documents, terms };
  }

  #own(lower: Key, upper: Key): readonly KeyEntry<DocumentJson | null>[] {
    return this.#writes.overlay(this.#index.qualified)?.between(lower, upper) ?? [];
  }
}
