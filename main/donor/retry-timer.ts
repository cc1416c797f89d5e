const firstMs = 5_000;
const longestMs = 15 * 60_000;

/** Calls back once each time that it is armed: later and later, until it is reset. */
export class RetryTimer {
  readonly #retry: () => void;
  #timer: NodeJS.Timeout | undefined;
  #nextMs = firstMs;

  constructor(retry: () => void) {
    this.#retry = retry;
  }

  /** Armed already, it stays as it is. */
  arm(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#retry();
    }, this.#nextMs).unref();
    this.#nextMs = Math.min(longestMs, this.#nextMs * 2);
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextMs = firstMs;
  }
}
