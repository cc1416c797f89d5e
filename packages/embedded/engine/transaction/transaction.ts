import { decodeDocumentId, newDocumentId } from "../../values/document-id.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { type Catalog, type IndexEntry, isSystemIndex } from "../model/catalog.ts";
import type { CreationClock } from "../model/creation-clock.ts";
import { DocumentNotFoundError, IndexNotFoundError } from "../model/errors.ts";
import { idKey } from "../model/index-keys.ts";
import { newInternalId } from "../model/internal-id.ts";
import type { DocumentJson, Scan, ScanOrder, Timestamp, Transaction } from "../model/types.ts";
import type { SearchSteps } from "../search/search-source.ts";
import { searchText, type TextMatch, type TextQuery, textReads } from "../search/text-search.ts";
import { searchVectors, type VectorMatch, type VectorQuery } from "../search/vector-search.ts";
import type { SnapshotView } from "../snapshot/snapshot-view.ts";
import { OwnWrites, type PendingDocument } from "./own-writes.ts";
import { RecordedReads } from "./read-set.ts";
import { TransactionScan } from "./transaction-scan.ts";
import { TransactionSearch } from "./transaction-search.ts";

type TransactionDeps = {
  readonly snapshot: Timestamp;
  readonly now: number;
  readonly view: SnapshotView;
  readonly catalog: Catalog;
  readonly creationClock: CreationClock;
  /** Throws when the engine has failed or is closed. */
  readonly assertEngineUsable: () => void;
};

export class EngineTransaction implements Transaction {
  readonly snapshot: Timestamp;
  readonly now: number;
  readonly readSet = new RecordedReads();
  readonly #deps: TransactionDeps;
  readonly #writes = new OwnWrites();
  #isFinished = false;
  #lastCreation = 0;

  constructor(deps: TransactionDeps) {
    this.#deps = deps;
    this.snapshot = deps.snapshot;
    this.now = deps.now;
  }

  get pending(): ReadonlyMap<string, PendingDocument> {
    return this.#writes.documents;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Ends the transaction: no more reads or writes. */
  finish(): void {
    this.#isFinished = true;
  }

  get(id: string): DocumentJson | null {
    this.#assertUsable();
    const table = this.tableOf(id);
    if (table === null) return null;
    this.readSet.recordPoint(table, "by_id", idKey(id));
    const own = this.#writes.get(id);
    return own === undefined ? this.#deps.view.get(table, id) : (own.current?.document ?? null);
  }

  scan(range: KeyRange, order: ScanOrder): Scan {
    this.#assertUsable();
    const consumed = this.readSet.recordScan(range, order);
    const index = this.#indexOf(range);
    if (index === null) {
      // The table does not exist yet; its absence is recorded as read.
      return { next: () => (consumed.ended(), null) };
    }
    return new TransactionScan({
      view: this.#deps.view,
      writes: this.#writes,
      index,
      range,
      order,
      consumed,
      assertUsable: () => this.#assertUsable(),
    });
  }

  count(range: KeyRange): number {
    this.#assertUsable();
    this.readSet.recordScan(range, "asc").ended();
    const index = this.#indexOf(range);
    if (index === null) return 0;
    const { view } = this.#deps;
    let total = view.count(index, range.lower, range.upper);
    const own = this.#writes.overlay(index.qualified)?.between(range.lower, range.upper) ?? [];
    for (const { key, value } of own) total += Number(value !== null) - Number(view.has(index, key));
    return total;
  }

  searchText(table: string, index: string, query: TextQuery): SearchSteps<readonly TextMatch[]> {
    this.#assertUsable();
    for (const bounds of textReads(query)) {
      this.readSet.recordScan({ table, index, ...bounds }, "asc").ended();
    }
    return searchText(this.#searchSource(table, index), query);
  }

  searchVectors(table: string, index: string, query: VectorQuery): SearchSteps<readonly VectorMatch[]> {
    this.#assertUsable();
    return searchVectors(this.#searchSource(table, index), query);
  }

  insert(table: string, value: DocumentJson): string {
    this.#assertUsable();
    const entry = this.#deps.catalog.ensure(table);
    const id = newDocumentId({ tableNumber: entry.number, internalId: newInternalId(this.now) });
    this.#lastCreation = this.#deps.creationClock.next(this.now, this.#lastCreation);
    const created = { ...value, _creationTime: this.#lastCreation, _id: id };
    this.#writes.put(id, entry, null, created);
    return id;
  }

  replace(id: string, value: DocumentJson): void {
    const existing = this.get(id);
    if (existing === null) throw new DocumentNotFoundError("Update", id);
    const { _creationTime, _id } = existing as { readonly _creationTime: number; readonly _id: string };
    this.#put(id, existing, { ...value, _creationTime, _id });
  }

  remove(id: string): void {
    const existing = this.get(id);
    if (existing === null) throw new DocumentNotFoundError("Delete", id);
    this.#put(id, existing, null);
  }

  tableOf(id: string): string | null {
    const decoded = decodeDocumentId(id);
    return decoded === null ? null : (this.#deps.catalog.byNumber(decoded.tableNumber)?.name ?? null);
  }

  hasWrites(): boolean {
    return this.#writes.documents.size > 0;
  }

  savepoint(): number {
    return this.#writes.savepoint();
  }

  rollbackTo(savepoint: number): void {
    this.#writes.rollbackTo(savepoint);
  }

  #put(id: string, existing: DocumentJson, next: DocumentJson | null): void {
    const table = this.#deps.catalog.byName(this.tableOf(id) as string);
    if (table === null) throw new DocumentNotFoundError("Update", id);
    this.#writes.put(id, table, existing, next);
  }

  #searchSource(table: string, index: string): TransactionSearch {
    const found = this.#indexOf({ table, index });
    if (found === null) throw new IndexNotFoundError(table, index);
    return new TransactionSearch({
      view: this.#deps.view,
      writes: this.#writes,
      index: found,
      assertUsable: () => this.#assertUsable(),
    });
  }

  #indexOf({ table, index }: Pick<KeyRange, "table" | "index">): IndexEntry | null {
    const entry = this.#deps.catalog.byName(table);
    const found = entry?.indexes.find((each) => each.name === index) ?? null;
    if (found === null && (entry !== null || !isSystemIndex(index)))
      throw new IndexNotFoundError(table, index);
    return found;
  }

  #assertUsable(): void {
    this.#deps.assertEngineUsable();
    if (this.#isFinished) throw new Error("The transaction was committed or discarded.");
  }
}
