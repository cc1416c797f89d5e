import type { KeyRange } from "../../values/keys/index-range.ts";
import { compareKeys, type Key, successor } from "../../values/keys/key.ts";
import type { KeyEntry } from "../../values/keys/sorted-key-map.ts";
import type { IndexEntry } from "../model/catalog.ts";
import type { DocumentJson, Scan, ScanEntry, ScanOrder } from "../model/types.ts";
import type { SnapshotView } from "../snapshot/snapshot-view.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { ConsumedRange } from "./read-set.ts";

// Most scans want a few documents; longer ones are read in growing pages.
const firstPage = 4;
const largestPage = 64;

type Bounds = { readonly lower: Key; readonly upper: Key | null };

/** Merges the snapshot's entries with the transaction's own writes, page by page, as far as consumed. */
export class TransactionScan implements Scan {
  readonly #view: SnapshotView;
  readonly #writes: OwnWrites;
  readonly #index: IndexEntry;
  readonly #order: ScanOrder;
  readonly #consumed: ConsumedRange;
  readonly #assertUsable: () => void;
  readonly #range: Bounds;
  /** The last key returned, or skipped because this transaction removed its document. */
  #passed: Key | null = null;
  /** The part not yet read from the snapshot. */
  #unread: Bounds | null;
  #page: readonly ScanEntry[] = [];
  #position = 0;
  #pageSize = firstPage;

  constructor(options: {
    readonly view: SnapshotView;
    readonly writes: OwnWrites;
    readonly index: IndexEntry;
    readonly range: KeyRange;
    readonly order: ScanOrder;
    readonly consumed: ConsumedRange;
    readonly assertUsable: () => void;
  }) {
    this.#view = options.view;
    this.#writes = options.writes;
    this.#index = options.index;
    this.#order = options.order;
    this.#consumed = options.consumed;
    this.#assertUsable = options.assertUsable;
    this.#range = options.range;
    this.#unread = options.range;
  }

  next(): ScanEntry | null {
    this.#assertUsable();
    for (;;) {
      const stored = this.#peekStored();
      const own = this.#peekOwn();
      if (stored === undefined && own === undefined) {
        this.#consumed.ended();
        return null;
      }
      const order = this.#compare(stored, own);
      if (order <= 0) this.#position += 1;
      const { key, document } =
        order < 0 ? (stored as ScanEntry) : fromOwn(own as KeyEntry<DocumentJson | null>);
      this.#passed = key;
      if (document === null) continue;
      this.#consumed.reached(key);
      return { key, document };
    }
  }

  #peekStored(): ScanEntry | undefined {
    while (this.#position === this.#page.length && this.#unread !== null) {
      const { lower, upper } = this.#unread;
      const page = this.#view.page(this.#index, lower, upper, this.#order, this.#pageSize);
      this.#page = page.entries;
      this.#unread = page.rest;
      this.#position = 0;
      this.#pageSize = Math.min(this.#pageSize * 4, largestPage);
    }
    return this.#page[this.#position];
  }

  #peekOwn(): KeyEntry<DocumentJson | null> | undefined {
    const overlay = this.#writes.overlay(this.#index.qualified);
    if (overlay === undefined) return undefined;
    const { lower, upper } = this.#range;
    const passed = this.#passed;
    return this.#order === "asc"
      ? overlay.first(passed === null ? lower : successor(passed), upper)
      : overlay.last(lower, passed ?? upper);
  }

  /** Negative when the stored entry comes first, 0 for the same key, positive when the own entry comes first. */
  #compare(stored: ScanEntry | undefined, own: KeyEntry<unknown> | undefined): number {
    if (own === undefined) return -1;
    if (stored === undefined) return 1;
    const order = compareKeys(stored.key, own.key);
    return this.#order === "asc" ? order : -order;
  }
}

function fromOwn({ key, value }: KeyEntry<DocumentJson | null>): {
  key: Key;
  document: DocumentJson | null;
} {
  return { key, document: value };
}
