import type { ReadCache } from "../cache/read-cache.ts";
import type { Catalog } from "../model/catalog.ts";
import { EngineFailedError } from "../model/errors.ts";
import type { CommitOutcome, Conflict, Placed, TableWrites, Timestamp } from "../model/types.ts";
import type { LiveSnapshots } from "../snapshot/live-snapshots.ts";
import { type CommitRecord, defaultRetention, type WriteLog } from "../snapshot/write-log.ts";
import { isDiskFull } from "../store/sqlite-errors.ts";
import type { Store } from "../store/store.ts";
import { applyWrite } from "../store/store-write.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { EngineTransaction } from "../transaction/transaction.ts";
import { firstCollision } from "./conflict.ts";
import type { Health } from "./health.ts";
import { prepareCommit } from "./prepare-commit.ts";
import { WriteTally } from "./table-writes.ts";

/** A change made by `tryBarrier`: written, but not on disk yet. */
type Prepared =
  | { readonly kind: "written"; readonly onDisk: () => void }
  | { readonly kind: "refused"; readonly reason: string };

/** Waits until the commits up to `ts` are on disk. */
type Waiter = {
  readonly ts: Timestamp;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

type CommitterDeps = {
  readonly store: Store;
  readonly cache: ReadCache;
  readonly log: WriteLog;
  readonly catalog: Catalog;
  readonly health: Health;
  readonly live: LiveSnapshots;
  readonly subscriptions: Subscriptions;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
};

/**
 * Reported when a commit's snapshot was dropped, for example by a schema change. Convex names its index table,
 * too.
 */
const forgotten: Conflict = { table: "_index", index: "by_id", documentId: "_index", range: null };
/** Time from a flush until its commits are moved into the store's tables, in ms. */
const applyAfterMs = 2_000;
const nanosecondsPerMillisecond = 1_000_000;

/**
 * Orders commits. Each is checked and applied in memory. A flush puts all of
 * them on disk; only then are they acknowledged. The next commits are applied meanwhile, and share the next flush.
 */
export class Committer {
  readonly #deps: CommitterDeps;
  #durable: Timestamp;
  #unflushed: CommitRecord[] = [];
  #waiters: Waiter[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  #isSyncing = false;
  #forgetting: NodeJS.Timeout | null = null;
  #applying: NodeJS.Timeout | null = null;
  #commits = 0;
  #conflicts = 0;
  #flushes = 0;
  readonly #tally = new WriteTally();

  constructor(deps: CommitterDeps) {
    this.#deps = deps;
    this.#durable = deps.log.newest;
    this.#applyLater();
  }

  get durable(): Timestamp {
    return this.#durable;
  }

  get counts(): { readonly commits: number; readonly conflicts: number; readonly flushes: number } {
    return { commits: this.#commits, conflicts: this.#conflicts, flushes: this.#flushes };
  }

  get writes(): { readonly [table: string]: TableWrites } {
    return this.#tally.snapshot();
  }

  async commit(transaction: EngineTransaction): Promise<CommitOutcome> {
    const { health, live } = this.#deps;
    health.assertUsable();
    if (transaction.isFinished) throw new Error("The transaction was committed or discarded.");
    transaction.finish();
    live.release(transaction.snapshot);
    if (!transaction.hasWrites()) {
      // A snapshot is consistent by itself, but a crash must not take back the data it showed.
      await this.#onDisk(transaction.snapshot);
      return { kind: "committed", ts: transaction.snapshot };
    }
    const conflict = this.#conflictOf(transaction);
    if (conflict !== null) {
      this.#conflicts += 1;
      return { kind: "conflict", conflict };
    }
    const ts = this.#apply(transaction);
    await this.#onDisk(ts);
    return { kind: "committed", ts };
  }

  /** Puts all commits into the store's tables and on disk before it returns, acknowledges them and notifies subscribers. */
  flush(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const { store, log } = this.#deps;
    if (log.newest === this.#durable) {
      if (store.hasUnapplied) this.#applyLogged();
      return;
    }
    this.#orFail(() => store.flush(log.newest));
    this.#acknowledge(log.newest);
  }

  #flushSoon(): void {
    if (this.#isSyncing) return;
    this.#scheduled ??= setImmediate(() => this.#flushBehind());
  }

  /** Like `flush`, but the thread does not wait for the disk. Commits that come meanwhile are flushed afterwards. */
  #flushBehind(): void {
    this.#scheduled = null;
    const { store, log, health } = this.#deps;
    const ts = log.newest;
    if (ts === this.#durable || !health.isUsable) return;
    this.#isSyncing = true;
    try {
      store.commit(ts);
      store.sync((error) => this.#synced(ts, error));
    } catch (cause) {
      // The waiters and `health` tell the error.
      this.#fail(cause);
    }
  }

  #synced(ts: Timestamp, error: Error | null): void {
    this.#isSyncing = false;
    if (!this.#deps.health.isUsable) return;
    if (error !== null) {
      this.#fail(error);
      return;
    }
    // A flush that did not wait for this one may have acknowledged the commits.
    if (ts > this.#durable) this.#acknowledge(ts);
    if (this.#waiters.length > 0) this.#flushSoon();
  }

  #acknowledge(ts: Timestamp): void {
    const { log, live, subscriptions, clock } = this.#deps;
    this.#durable = ts;
    this.#flushes += 1;
    const flushed = this.#unflushed.filter((record) => record.ts <= ts);
    this.#unflushed = this.#unflushed.filter((record) => record.ts > ts);
    const waiters = this.#waiters.filter((waiter) => waiter.ts <= ts);
    this.#waiters = this.#waiters.filter((waiter) => waiter.ts > ts);
    for (const { resolve } of waiters) resolve();
    log.trim(clock(), live.oldest());
    this.#forgetLater();
    this.#applyLater();
    subscriptions.notify(flushed);
  }

  /** Without this, the last commits before an idle period would stay in memory throughout it. */
  #forgetLater(): void {
    const { log, live, clock } = this.#deps;
    if (this.#forgetting !== null || log.size === 0) return;
    this.#forgetting = setTimeout(() => {
      this.#forgetting = null;
      log.trim(clock(), live.oldest());
      this.#forgetLater();
    }, defaultRetention.windowMs);
    this.#forgetting.unref();
  }

  /** Without this, an idle backend would keep its last writes in memory and in the log, deleted documents among them. */
  #applyLater(): void {
    const { store, health } = this.#deps;
    if (this.#applying !== null || !health.isUsable || !store.hasUnapplied) return;
    this.#applying = setTimeout(() => {
      this.#applying = null;
      if (!health.isUsable) return;
      try {
        // Writes in an open transaction belong to the next flush.
        if (!store.isWriting) this.#applyLogged();
      } catch {
        // The waiters and `health` tell the error. On a full disk it is tried again.
      }
      this.#applyLater();
    }, applyAfterMs);
    this.#applying.unref();
  }

  /** Moves commits from the log into the tables. On a full disk it throws, they stay in the log, and the engine is usable. */
  #applyLogged(): void {
    const { store, log } = this.#deps;
    try {
      store.apply(log.newest);
    } catch (cause) {
      throw isDiskFull(cause) ? cause : this.#fail(cause);
    }
  }

  /** Runs a change that no transaction may span, such as a schema change, and makes it the only snapshot. */
  flushBarrier(change: () => void): void {
    this.flush();
    const { store, cache, log, subscriptions } = this.#deps;
    const ts = this.#nextTimestamp();
    this.#orFail(() => {
      change();
      store.flush(ts);
    });
    cache.clear();
    log.reset(ts);
    this.#durable = ts;
    this.#flushes += 1;
    subscriptions.notifyAll(ts);
  }

  /**
   * Like `flushBarrier`, for a change that may be refused or fail. It is then rolled back, and the engine stays
   * usable.
   */
  tryBarrier(file: string, transaction: EngineTransaction, change: () => Prepared): Placed {
    this.flush();
    const { store, cache, log, subscriptions } = this.#deps;
    const ts = this.#nextTimestamp();
    let refused: Placed | null;
    try {
      refused = store.withStaging(file, (): Placed | null => {
        const prepared = change();
        if (prepared.kind === "refused") return prepared;
        this.#write(transaction, ts);
        store.flush(ts);
        prepared.onDisk();
        return null;
      });
    } finally {
      cache.clear();
    }
    if (refused !== null) return refused;
    log.reset(ts);
    this.#durable = ts;
    this.#flushes += 1;
    subscriptions.notifyAll(ts);
    return { kind: "done", ts };
  }

  #conflictOf({ snapshot, readSet }: EngineTransaction): Conflict | null {
    const { log } = this.#deps;
    if (snapshot < log.floor) return forgotten;
    return firstCollision(readSet.merged(), log.since(snapshot))?.conflict ?? null;
  }

  #apply(transaction: EngineTransaction): Timestamp {
    const { log, clock } = this.#deps;
    const ts = this.#nextTimestamp();
    const changes = this.#orFail(() => this.#write(transaction, ts));
    const record = { ts, madeAt: clock(), changes };
    log.append(record);
    this.#unflushed.push(record);
    this.#commits += 1;
    return ts;
  }

  #write(transaction: EngineTransaction, ts: Timestamp): CommitRecord["changes"] {
    const { store, cache, catalog } = this.#deps;
    const { writes, changes } = prepareCommit(transaction.pending, ts);
    for (const table of catalog.takeUnsaved()) store.createTable(table);
    for (const write of writes) {
      applyWrite(store, write);
      cache.wrote(write);
    }
    this.#tally.count(transaction.pending, writes);
    return changes;
  }

  #nextTimestamp(): Timestamp {
    const now = BigInt(Math.round(this.#deps.clock())) * BigInt(nanosecondsPerMillisecond);
    const { newest } = this.#deps.log;
    return now > newest ? now : newest + 1n;
  }

  #onDisk(ts: Timestamp): Promise<void> {
    if (ts <= this.#durable) return Promise.resolve();
    this.#flushSoon();
    return new Promise((resolve, reject) => this.#waiters.push({ ts, resolve, reject }));
  }

  #orFail<T>(write: () => T): T {
    try {
      return write();
    } catch (cause) {
      throw this.#fail(cause);
    }
  }

  /** After a failed write, memory may be ahead of the file, so nothing is accepted anymore. */
  #fail(cause: unknown): EngineFailedError {
    const error = new EngineFailedError(cause);
    this.#deps.health.fail(error);
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters = [];
    this.#deps.store.close();
    return error;
  }
}
