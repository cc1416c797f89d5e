import type { JSONValue } from "convex/values";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";
import type { Key } from "../../values/keys/key.ts";
import type { SearchSteps } from "../search/search-source.ts";
import type { TextMatch, TextQuery } from "../search/text-search.ts";
import type { VectorMatch, VectorQuery } from "../search/vector-search.ts";

/** A commit timestamp: nanoseconds since the epoch, strictly increasing from commit to commit. */
export type Timestamp = bigint;

/** A document in Convex's JSON encoding, `_id` and `_creationTime` included. */
export type DocumentJson = { readonly [field: string]: JSONValue };

export type NumberedTable = TableDefinition & { readonly number: number };

/** The ranges that a transaction has read. A later write into them is a conflict. */
export interface ReadSet {
  readonly ranges: Iterable<KeyRange>;
  readonly size: number;
}

/** A table whose documents and index entries were written to a staging file. */
export type StagedTable = TableDefinition & {
  /** The table number in its documents' ids. */
  readonly number: number;
  /** True to add to the present documents, false to replace them. */
  readonly append: boolean;
  /** Only renumbers an empty table: refused when the table has documents by now. */
  readonly onlyIfEmpty?: boolean;
};

/** The tables that `placeTables` puts in place at once. `drop` names the tables to remove. */
export type StagedTables = {
  /** The staging file: a SQLite database with `documents` and `entries`. */
  readonly file: string;
  readonly tables: readonly StagedTable[];
  readonly drop: readonly string[];
};

export type Placed =
  { readonly kind: "done"; readonly ts: Timestamp } | { readonly kind: "refused"; readonly reason: string };

export type ScanOrder = "asc" | "desc";

/** One step of a scan: the document, and its key for a cursor. */
export type ScanEntry = { readonly key: Key; readonly document: DocumentJson };

/** A lazy scan. The read set grows only by consumed keys, and by the rest of the range once the scan ends. */
export interface Scan {
  next(): ScanEntry | null;
}

/**
 * A transaction over one snapshot. Synchronous: the caller decides where to yield.
 * Reads see the snapshot overlaid with the transaction's own writes.
 */
export interface Transaction {
  readonly snapshot: Timestamp;
  readonly readSet: ReadSet;
  /** The transaction's clock in ms, fixed at its start. `_creationTime` of inserts comes from it. */
  readonly now: number;
  get(id: string): DocumentJson | null;
  scan(range: KeyRange, order: ScanOrder): Scan;
  /**
   * Searches a text index. The terms join the read set, so a later write of a document with one of them is a conflict. The
   * documents of the matches do not: read them with `get`.
   */
  searchText(table: string, index: string, query: TextQuery): SearchSteps<readonly TextMatch[]>;
  /** Searches a vector index. Nothing joins the read set, so a mutation must not depend on it. */
  searchVectors(table: string, index: string, query: VectorQuery): SearchSteps<readonly VectorMatch[]>;
  /** Counts a range's documents without reading them. The whole range joins the read set. */
  count(range: KeyRange): number;
  /** Inserts a document (no system fields in `value`) and returns its new id. */
  insert(table: string, value: DocumentJson): string;
  /** Replaces all but the system fields. Throws if the id does not exist. */
  replace(id: string, value: DocumentJson): void;
  remove(id: string): void;
  /** The table an id belongs to, or null when it is not an id of this deployment. */
  tableOf(id: string): string | null;
  hasWrites(): boolean;
  /** Marks a point to which the writes (not the reads) can be rolled back: nested mutations. */
  savepoint(): number;
  rollbackTo(savepoint: number): void;
}

/** The collision that made a commit fail. It is reported, counted, and the reason for a retry. */
export type Conflict = {
  readonly table: string;
  readonly index: string;
  readonly documentId: string;
  /** The range that was read and then written into, in encoded keys, half-open. Null means everything. */
  readonly range: Pick<KeyRange, "lower" | "upper"> | null;
};

export type CommitOutcome =
  | { readonly kind: "committed"; readonly ts: Timestamp }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

export interface Engine {
  /** Creates the schema's tables, backfills new indexes and drops removed ones. Documents stay. */
  applySchema(tables: readonly TableDefinition[]): void;
  /** Makes the newest state the only snapshot: open transactions conflict, and all subscriptions fire. */
  renew(): void;
  definitionOf(table: string): TableDefinition | null;
  /** Per table, the schema that its documents were last found to fit (see `setVerified`). Kept in the file. */
  verified(): ReadonlyMap<string, string>;
  setVerified(fingerprints: ReadonlyMap<string, string>): void;
  /** The time that functions see, in ms since the epoch. It never goes back, also over restarts, when the machine's clock does. */
  now(): number;
  /** The newest commit on disk. Queries for clients run at this snapshot. */
  durable(): Timestamp;
  /** Begins a transaction at the newest commit, for mutations, or at a given retained timestamp, for queries. */
  begin(options?: { readonly snapshot?: Timestamp; readonly now?: number }): Transaction;
  /**
   * Checks the read set against later commits and applies the writes. Resolves once the writes, and everything that
   * was read, are on disk. Writes nothing on a conflict.
   */
  commit(transaction: Transaction): Promise<CommitOutcome>;
  /** Drops a transaction that won't be committed, to release its snapshot. */
  discard(transaction: Transaction): void;
  /**
   * Calls back once, with the commit's timestamp, when a durable commit after `since` writes into the read set. If
   * one already did, calls back at once, asynchronously.
   */
  subscribe(readSet: ReadSet, since: Timestamp, onInvalidated: (ts: Timestamp) => void): () => void;
  /** All tables with their numbers, including those of components and of the backend. */
  tables(): readonly NumberedTable[];
  /** How many documents a table has on disk. */
  countDocuments(table: string): number;
  /**
   * Puts staged tables in place, all or none, in one commit that no transaction spans. Running transactions run
   * again, and every subscriber is called once. `also` writes to other tables in the same commit.
   */
  placeTables(staged: StagedTables, also?: (transaction: Transaction) => void): Placed;
  /**
   * Copies everything on disk into a new file while the engine runs. Rejects with CopyAbortedError when the engine
   * is closed meanwhile.
   */
  copyTo(file: string): Promise<Timestamp>;
  stats(): EngineStats;
  close(): Promise<void>;
}

export type EngineStats = {
  readonly commits: number;
  readonly conflicts: number;
  readonly flushes: number;
  readonly subscriptions: number;
  /** Documents written, by table. */
  readonly writes: { readonly [table: string]: TableWrites };
  /** How far the backend's clock is ahead of the machine's, in ms. */
  readonly clockAheadMs: number;
};

/** Writes of one table since the process started. */
export type TableWrites = {
  readonly inserted: number;
  /** Patched or replaced: either way the whole document is written. */
  readonly replaced: number;
  readonly deleted: number;
  /** Bytes of the stored documents, counted at each write: UTF-8, in Convex's JSON encoding. */
  readonly bytes: number;
};
