import type { Engine, Transaction } from "../engine/model/types.ts";

/** Starts all due work. Returns the time of the next look in ms since the epoch, or null to wait for a write. */
type Look = (transaction: Transaction, now: number) => number | null;

type DueLoopOptions = {
  readonly engine: Engine;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called when a look fails. It is retried after the longest sleep. */
  readonly onError: (error: unknown) => void;
};

// The clock may jump and the machine may sleep, so no timer runs for longer than this.
const longestSleepMs = 60_000;

/**
 * Watches a table of rows with due times, using one timer and one subscription. It looks again when the next
 * row is due, and when a commit touches the rows that it has read. It sees only durable commits.
 */
export class DueLoop {
  readonly #options: DueLoopOptions;
  readonly #start: Look;
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => {};
  #looking: NodeJS.Immediate | null = null;
  #isClosed = false;

  constructor({ engine, clock, onError }: DueLoopOptions, start: Look) {
    this.#options = { engine, clock, onError };
    this.#start = start;
  }

  wake(): void {
    if (this.#isClosed) return;
    // If a look is due already, it will see this write too.
    this.#looking ??= setImmediate(() => this.#lookSafely());
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
    if (this.#looking !== null) clearImmediate(this.#looking);
  }

  #lookSafely(): void {
    this.#looking = null;
    this.#forget();
    try {
      this.#look();
    } catch (error) {
      this.#sleep(longestSleepMs);
      this.#options.onError(error);
    }
  }

  #look(): void {
    const { engine, clock } = this.#options;
    const now = clock();
    const transaction = engine.begin({ snapshot: engine.durable(), now });
    try {
      const nextTime = this.#start(transaction, now);
      const { readSet, snapshot } = transaction;
      this.#unsubscribe = engine.subscribe(readSet, snapshot, () => this.wake());
      this.#sleep(nextTime === null ? longestSleepMs : nextTime - now);
    } finally {
      engine.discard(transaction);
    }
  }

  #sleep(ms: number): void {
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 0), longestSleepMs));
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unsubscribe();
    this.#unsubscribe = () => {};
  }
}
