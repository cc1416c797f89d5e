import type { Engine, KeyRange, Transaction } from "../engine/types.ts";
import { transact } from "../engine/transact.ts";
import { completedBeforeRange } from "./scheduled-queries.ts";

export type SweeperOptions = {
  readonly engine: Engine;
  /** Of scheduled functions and runs of crons, by the engine's names. */
  readonly tables: readonly string[];
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a finished scheduled function can be looked up, as Convex keeps it. */
const KEEP_FINISHED_MS = 7 * DAY_MS;
const BATCH = 500;

/** Removes, once an hour, the rows of what has long been run. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #timer: NodeJS.Timeout | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweeping = this.sweep().catch(this.#options.onError);
    this.#timer = setInterval(() => {
      this.#sweeping = this.sweep().catch(this.#options.onError);
    }, HOUR_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sweeping;
  }

  async sweep(): Promise<void> {
    const now = this.#options.clock();
    for (const table of this.#options.tables) {
      await this.#removeAll(completedBeforeRange(table, now - KEEP_FINISHED_MS));
    }
  }

  /** Removes the rows of a range in transactions of bounded size. */
  async #removeAll(range: KeyRange): Promise<void> {
    let removed = BATCH;
    while (removed === BATCH && !this.#isClosed) {
      removed = await transact(this.#options.engine, (transaction) => removeBatch(transaction, range));
    }
  }
}

function removeBatch(transaction: Transaction, range: KeyRange): number {
  const scan = transaction.scan(range, "asc");
  let removed = 0;
  while (removed < BATCH) {
    const entry = scan.next();
    if (entry === null) break;
    transaction.remove(entry.document["_id"] as string);
    removed += 1;
  }
  return removed;
}
