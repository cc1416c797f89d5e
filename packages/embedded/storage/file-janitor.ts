import type { Engine } from "../engine/model/types.ts";
import { commitWithRetries } from "../engine/transact/transact.ts";
import { type DeletedKey, deletedKeys, hasKey } from "./file-rows.ts";
import type { FileStore } from "./file-store.ts";

type FileJanitorOptions = {
  readonly engine: Engine;
  readonly store: FileStore;
  /** Called when bytes could not be removed. Removal is retried. */
  readonly onError: (error: unknown) => void;
};

const hourMs = 3_600_000;
const batch = 200;

/**
 * Removes bytes of durably deleted files at once, and bytes without a row at the start and every hour. One task at
 * a time.
 */
export class FileJanitor {
  readonly #options: FileJanitorOptions;
  #working: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => {};
  #holds = 0;
  #isClosed = false;

  constructor(options: FileJanitorOptions) {
    this.#options = options;
  }

  /** Sweeps leftovers of a crash, then watches for deletions. */
  start(): void {
    this.#do(() => this.sweep());
    this.#do(() => this.#removeDeleted());
    this.#timer = setInterval(() => {
      this.#do(() => this.sweep());
      // Retries earlier failed removals.
      this.#do(() => this.#removeDeleted());
    }, hourMs);
    this.#timer.unref();
  }

  /** Removes nothing until the returned function is called: a backup reads the files of its snapshot. */
  async hold(): Promise<() => void> {
    this.#holds += 1;
    await this.#working;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#do(() => this.#removeDeleted());
    };
  }

  /** Resolves when no removal is running. */
  async idle(): Promise<void> {
    let working;
    do {
      working = this.#working;
      await working;
    } while (working !== this.#working);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#unsubscribe();
    await this.idle();
  }

  /** Removes bytes without a row, unless an upload is about to commit one. */
  async sweep(): Promise<void> {
    if (this.#mustNot()) return;
    const { store } = this.#options;
    await store.removePartial();
    // The order matters: bytes not pending now were committed earlier or never will be, and the rows are read
    // afterward.
    const candidates = (await store.keys()).filter((key) => !store.isPending(key));
    for (let start = 0; start < candidates.length; start += batch) {
      for (const key of this.#withoutRow(candidates.slice(start, start + batch))) {
        if (this.#mustNot()) return;
        await store.remove(key);
      }
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#mustNot()) return;
    }
  }

  #mustNot(): boolean {
    return this.#isClosed || this.#holds > 0;
  }

  #do(work: () => Promise<void>): void {
    this.#working = this.#working.then(work).catch(this.#options.onError);
  }

  async #removeDeleted(): Promise<void> {
    while (!this.#mustNot()) {
      const rows = this.#deleted();
      if (rows.length === 0) return;
      const removed = await this.#removeBytes(rows);
      if (removed.length === 0) return;
      await commitWithRetries(this.#options.engine, (transaction) => {
        for (const { id } of removed) if (transaction.get(id) !== null) transaction.remove(id);
        return Promise.resolve({ commit: true, result: null });
      });
    }
  }

  /** Removes the rows' bytes and returns the rows whose bytes are gone. One failure does not block the others. */
  async #removeBytes(rows: readonly DeletedKey[]): Promise<readonly DeletedKey[]> {
    const removed: DeletedKey[] = [];
    for (const row of rows) {
      try {
        await this.#options.store.remove(row.key);
        removed.push(row);
      } catch (error) {
        this.#options.onError(error);
      }
    }
    return removed;
  }

  /** Returns some durably deleted files, and subscribes to the next deletion. */
  #deleted(): readonly DeletedKey[] {
    const { engine } = this.#options;
    const transaction = engine.begin({ snapshot: engine.durable() });
    try {
      const rows = deletedKeys(transaction, batch);
      this.#unsubscribe();
      this.#unsubscribe = engine.subscribe(transaction.readSet, transaction.snapshot, () => {
        this.#do(() => this.#removeDeleted());
      });
      return rows;
    } finally {
      engine.discard(transaction);
    }
  }

  #withoutRow(keys: readonly string[]): readonly string[] {
    const { engine } = this.#options;
    const transaction = engine.begin({ snapshot: engine.durable() });
    try {
      return keys.filter((key) => !hasKey(transaction, key));
    } finally {
      engine.discard(transaction);
    }
  }
}
