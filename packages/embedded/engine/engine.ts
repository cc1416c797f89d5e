import { BackendClock, type MachineClocks, machineClocks } from "../clock/backend-clock.ts";
import type { TableDefinition } from "../values/keys/index-fields.ts";
import { ReadCache } from "./cache/read-cache.ts";
import { Committer } from "./commit/committer.ts";
import { firstCollision } from "./commit/conflict.ts";
import { Health } from "./commit/health.ts";
import { Catalog, definitionOf } from "./model/catalog.ts";
import { CreationClock } from "./model/creation-clock.ts";
import { type EngineFailedError, SnapshotTooOldError } from "./model/errors.ts";
import { diffSchema } from "./model/schema-diff.ts";
import type {
  CommitOutcome,
  Engine,
  EngineStats,
  NumberedTable,
  Placed,
  ReadSet,
  StagedTables,
  Timestamp,
  Transaction,
} from "./model/types.ts";
import { LiveSnapshots } from "./snapshot/live-snapshots.ts";
import { SnapshotView } from "./snapshot/snapshot-view.ts";
import { WriteLog } from "./snapshot/write-log.ts";
import { HotCopy } from "./store/hot-copy.ts";
import { migrate } from "./store/migrate.ts";
import { placeStaged, staleReason } from "./store/staged-tables.ts";
import { Store } from "./store/store.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";
import { mergedRanges } from "./transaction/read-set.ts";
import { EngineTransaction } from "./transaction/transaction.ts";

type EngineOptions = {
  /** The database file, or ":memory:". Its folder must exist. */
  readonly path: string;
  /** The machine's clocks, unless a test says otherwise. */
  readonly clocks?: MachineClocks;
  /** Maximum size in pages of 4 KiB. Tests use it to fill a disk. */
  readonly maxPages?: number;
  /** Called once when the file could not be written. The engine is unusable from then on. */
  readonly onFailed?: (error: EngineFailedError) => void;
};

/** Opens or creates the database, locked for this process. Throws StoreError, whose message says what to do. */
export function openEngine({ path, clocks = machineClocks, onFailed, maxPages }: EngineOptions): Engine {
  const store = new Store(path, maxPages === undefined ? {} : { maxPages });
  return new SqliteEngine(store, clocks, new Health(onFailed));
}

class SqliteEngine implements Engine {
  readonly #store: Store;
  readonly #cache: ReadCache;
  readonly #clock: BackendClock;
  readonly #catalog: Catalog;
  readonly #log: WriteLog;
  readonly #committer: Committer;
  readonly #health: Health;
  readonly #live = new LiveSnapshots();
  readonly #subscriptions = new Subscriptions();
  readonly #creationClock = new CreationClock();
  readonly #copies: HotCopy;

  constructor(store: Store, clocks: MachineClocks, health: Health) {
    this.#store = store;
    this.#cache = new ReadCache(store);
    this.#copies = new HotCopy(store);
    this.#health = health;
    // Stored times are of commits, so the clock goes on after the newest one.
    this.#clock = new BackendClock(clocks, millisecondAfter(store.lastTimestamp()));
    this.#catalog = new Catalog(store.tables());
    this.#log = new WriteLog(store.lastTimestamp());
    this.#committer = new Committer({
      store,
      cache: this.#cache,
      log: this.#log,
      catalog: this.#catalog,
      health: this.#health,
      live: this.#live,
      subscriptions: this.#subscriptions,
      clock: () => this.now(),
    });
  }

  applySchema(tables: readonly TableDefinition[]): void {
    this.#health.assertUsable();
    const changes = diffSchema(this.#catalog.tables, tables);
    if (changes.length === 0) return;
    this.#committer.flushBarrier(() => migrate(this.#store, this.#catalog, changes));
  }

  renew(): void {
    this.#health.assertUsable();
    this.#committer.flushBarrier(() => undefined);
  }

  definitionOf(table: string): TableDefinition | null {
    const entry = this.#catalog.byName(table);
    return entry === null ? null : definitionOf(entry);
  }

  verified(): ReadonlyMap<string, string> {
    this.#health.assertUsable();
    return this.#store.verified();
  }

  setVerified(fingerprints: ReadonlyMap<string, string>): void {
    this.#health.assertUsable();
    this.#committer.flushBarrier(() => this.#store.setVerified(fingerprints));
  }

  now(): number {
    return this.#clock.now();
  }

  durable(): Timestamp {
    return this.#committer.durable;
  }

  begin(options: { readonly snapshot?: Timestamp; readonly now?: number } = {}): Transaction {
    this.#health.assertUsable();
    const { snapshot = this.#log.newest, now = this.now() } = options;
    if (snapshot < this.#log.floor) throw new SnapshotTooOldError(snapshot, this.#log.floor);
    if (snapshot > this.#log.newest) throw new RangeError(`The snapshot ${snapshot} lies in the future.`);
    this.#live.hold(snapshot);
    return new EngineTransaction({
      snapshot,
      now,
      view: new SnapshotView(this.#store, this.#cache, this.#log, snapshot),
      catalog: this.#catalog,
      creationClock: this.#creationClock,
      assertEngineUsable: () => this.#health.assertUsable(),
    });
  }

  async commit(transaction: Transaction): Promise<CommitOutcome> {
    return this.#committer.commit(ownTransaction(transaction));
  }

  discard(transaction: Transaction): void {
    const own = ownTransaction(transaction);
    if (own.isFinished) return;
    own.finish();
    this.#live.release(own.snapshot);
  }

  subscribe(readSet: ReadSet, since: Timestamp, onInvalidated: (ts: Timestamp) => void): () => void {
    this.#health.assertUsable();
    const missed = this.#firstMissed(readSet, since);
    if (missed === null) return this.#subscriptions.add(readSet, since, onInvalidated);
    const call = setImmediate(() => onInvalidated(missed));
    return () => clearImmediate(call);
  }

  tables(): readonly NumberedTable[] {
    return [...this.#catalog.tables].map((table) => ({ ...definitionOf(table), number: table.number }));
  }

  countDocuments(table: string): number {
    this.#health.assertUsable();
    const byId = this.#catalog.byName(table)?.indexes.find((index) => index.name === "by_id");
    return byId === undefined ? 0 : this.#store.countEntries(byId);
  }

  placeTables(staged: StagedTables, also: (transaction: Transaction) => void = () => undefined): Placed {
    const transaction = ownTransaction(this.begin());
    try {
      also(transaction);
      return this.#place(staged, transaction);
    } finally {
      this.discard(transaction);
    }
  }

  #place(staged: StagedTables, transaction: EngineTransaction): Placed {
    return this.#committer.tryBarrier(staged.file, transaction, () => {
      const stale = staleReason(this.#catalog, staged);
      if (stale !== null) return { kind: "refused", reason: stale };
      for (const { name, append, onlyIfEmpty } of staged.tables) {
        if (onlyIfEmpty === true && this.countDocuments(name) > 0) {
          return { kind: "refused", reason: `The table "${name}" was written to meanwhile. Import again.` };
        }
        const taken = append ? this.#store.takenStagedId(name) : null;
        if (taken === null) continue;
        return {
          kind: "refused",
          reason: `The table "${name}" already has a document with the id "${taken}".`,
        };
      }
      // Nobody has checked imported documents against the schema.
      this.#store.setVerified(new Map());
      return { kind: "written", onDisk: placeStaged(this.#store, this.#catalog, staged) };
    });
  }

  async copyTo(file: string): Promise<Timestamp> {
    let ts = this.durable();
    await this.#copies.to(file, () => {
      this.#health.assertUsable();
      this.#committer.flush();
      ts = this.durable();
    });
    return ts;
  }

  stats(): EngineStats {
    const { counts, writes } = this.#committer;
    const clockAheadMs = this.#clock.aheadMs();
    return { ...counts, subscriptions: this.#subscriptions.size, writes, clockAheadMs };
  }

  async close(): Promise<void> {
    if (!this.#health.isUsable) return;
    try {
      this.#committer.flush();
    } finally {
      this.#health.close();
      await this.#store.synced();
      this.#store.close();
    }
  }

  /** The first durable commit after `since` that wrote into the read set; the newest one when that is unknown. */
  #firstMissed(readSet: ReadSet, since: Timestamp): Timestamp | null {
    const durable = this.#committer.durable;
    if (since >= durable) return null;
    if (since < this.#log.floor) return durable;
    const commits = this.#log.since(since).filter(({ ts }) => ts <= durable);
    return firstCollision(mergedRanges(readSet), commits)?.ts ?? null;
  }
}

const nanosecondsPerMillisecond = 1_000_000n;

/** The first whole millisecond after a commit. */
function millisecondAfter(ts: Timestamp): number {
  return Number(ts / nanosecondsPerMillisecond) + 1;
}

function ownTransaction(transaction: Transaction): EngineTransaction {
  if (transaction instanceof EngineTransaction) return transaction;
  throw new TypeError("The transaction was not begun by an engine.");
}
