import type { Engine, KeyRange, ScanEntry, Transaction } from "../engine/types.ts";
import { commitWithRetries } from "../runtime/commit-with-retries.ts";
import { SESSION_TABLE } from "../runtime/session-requests.ts";
import type { ComponentPath } from "../values/table-name.ts";
import { fullRange } from "../values/index-range.ts";
import { completedBeforeRange } from "./scheduled-queries.ts";

export type SweeperOptions = {
  readonly engine: Engine;
  readonly components: readonly ComponentPath[];
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a finished scheduled function can be looked up, as Convex keeps it. */
const KEEP_FINISHED_MS = 7 * DAY_MS;
/** How long a client may be away and still learn the outcome of a mutation that it sent. */
const KEEP_SESSIONS_MS = DAY_MS;
const BATCH = 500;

/** Removes, once an hour, what the backend's own tables no longer need. */
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
    for (const component of this.#options.components) {
      await this.#removeAll(completedBeforeRange(component, now - KEEP_FINISHED_MS), () => true);
    }
    await this.#removeAll(
      fullRange(SESSION_TABLE.name, "by_creation_time"),
      ({ document }) => (document["_creationTime"] as number) < now - KEEP_SESSIONS_MS,
    );
  }

  /** Removes the rows of a range up to the first that is still needed, in transactions of bounded size. */
  async #removeAll(range: KeyRange, isOld: (entry: ScanEntry) => boolean): Promise<void> {
    let removed = BATCH;
    while (removed === BATCH && !this.#isClosed) {
      const committed = await commitWithRetries(this.#options.engine, async (transaction) => ({
        commit: true,
        result: removeBatch(transaction, range, isOld),
      }));
      removed = committed.kind === "finished" ? committed.result : 0;
    }
  }
}

function removeBatch(
  transaction: Transaction,
  range: KeyRange,
  isOld: (entry: ScanEntry) => boolean,
): number {
  const scan = transaction.scan(range, "asc");
  let removed = 0;
  while (removed < BATCH) {
    const entry = scan.next();
    if (entry === null || !isOld(entry)) break;
    transaction.remove(entry.document["_id"] as string);
    removed += 1;
  }
  return removed;
}
