import type { JSONValue } from "convex/values";
import type { IndexDefinition, TableDefinition } from "../../values/keys/index-fields.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";

/** A commit timestamp: nanoseconds since the epoch, strictly increasing from commit to commit. */
export type Timestamp = bigint;

/** A document in Convex's JSON encoding, `_id` and `_creationTime` included. */
export type DocumentJson = { readonly [field: string]: JSONValue };

export type NumberedTable = TableDefinition & { readonly number: number };

/** What a transaction has read: the ranges that a later write must not have touched. */
export interface ReadSet {
  readonly ranges: Iterable<KeyRange>;
  readonly size: number;
}

/** A table whose documents and index entries were written to a staging file beforehand. */
export type StagedTable = TableDefinition & {
  /** What its documents' ids say. */
  readonly number: number;
  /** Whether they join the documents that are there, or take their place. */
  readonly append: boolean;
  /** Refused when the present table has come to have documents: it was only to get another number. */
  readonly onlyIfEmpty?: boolean;
};

/** What `placeTables` puts in place at once. `drop` names tables that go. */
export type StagedTables = {
  /** The staging file: a SQLite database with `documents` and `entries`. */
  readonly file: string;
  readonly tables: readonly StagedTable[];
  readonly drop: readonly string[];
};

export type Placed =
  { readonly kind: "done"; readonly ts: Timestamp } | { readonly kind: "refused"; readonly reason: string };

export type ScanOrder = "asc" | "desc";

/** One step of a scan: the document and its key, from which a cursor can be made. */
export type ScanEntry = { readonly key: Uint8Array; readonly document: DocumentJson };

/** A lazy scan. The read set grows only by what was consumed; the rest of the range once it ends. */
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
  /** The clock of this transaction in ms, fixed at its start: `_creationTime` of inserts comes from it. */
  readonly now: number;
  get(id: string): DocumentJson | null;
  scan(range: KeyRange, order: ScanOrder): Scan;
  /** How many documents a range has, none of which is read; the whole range is in the read set. */
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

/** The collision that made a commit fail: reported, counted, and the reason for a retry. */
export type Conflict = {
  readonly table: string;
  readonly index: string;
  readonly documentId: string;
  /** What was read there, and written into: encoded keys, half-open. Null: all that there was. */
  readonly range: Pick<KeyRange, "lower" | "upper"> | null;
};

export type CommitOutcome =
  | { readonly kind: "committed"; readonly ts: Timestamp }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

export interface Engine {
  /** Creates what the schema names, backfills new indexes, drops removed ones. Documents stay. */
  applySchema(tables: readonly TableDefinition[]): void;
  definitionOf(table: string): TableDefinition | null;
  /** What each table's documents were found to fit, as `setVerified` was last told; kept in the file. */
  verified(): ReadonlyMap<string, string>;
  setVerified(fingerprints: ReadonlyMap<string, string>): void;
  /** The newest commit that is on disk. Queries that answer a client run here. */
  durable(): Timestamp;
  /** A transaction at the newest commit (mutations), or at a given, still retained timestamp (queries). */
  begin(options?: { readonly snapshot?: Timestamp; readonly now?: number }): Transaction;
  /**
   * Checks the read set against what was committed since the snapshot, applies the writes and
   * resolves once they (and everything that was read) are on disk. Never writes on a conflict.
   */
  commit(transaction: Transaction): Promise<CommitOutcome>;
  /** Drops a transaction that will not be committed, so that its snapshot need not be retained. */
  discard(transaction: Transaction): void;
  /**
   * Calls back once, with the commit's timestamp, when a durable commit after `since` met the read set
   * (at once, asynchronously, if one already has).
   */
  subscribe(readSet: ReadSet, since: Timestamp, onInvalidated: (ts: Timestamp) => void): () => void;
  /** All tables with their numbers, those of components and of the backend among them. */
  tables(): readonly NumberedTable[];
  /** How many documents a table has on disk. */
  countDocuments(table: string): number;
  /**
   * Puts staged tables in place, all or none, as one commit that no transaction spans: whoever runs meanwhile
   * runs again, and every subscriber is told once. `also` writes to other tables in the same commit.
   */
  placeTables(staged: StagedTables, also?: (transaction: Transaction) => void): Placed;
  /**
   * Copies everything that is on disk now into a new file, while the engine goes on.
   * Rejects with CopyAbortedError when it is closed meanwhile.
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
};

/** What commits have done to one table since the process started. */
export type TableWrites = {
  readonly inserted: number;
  /** Patched or replaced: a document is written whole either way. */
  readonly replaced: number;
  readonly deleted: number;
  /** Of the documents as they were stored, each time that they were: UTF-8, in Convex's JSON encoding. */
  readonly bytes: number;
};
