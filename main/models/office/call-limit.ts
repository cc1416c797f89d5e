/** Limits the calls per second from one address. */
export class CallLimit {
  readonly #perSecond: number;
  readonly #calls = new Map<string, number>();
  #since = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a call. Returns false if it exceeds the limit. */
  admits(from: string, now: number): boolean {
    if (now - this.#since >= 1_000) {
      this.#calls.clear();
      this.#since = now;
    }
    const calls = (this.#calls.get(from) ?? 0) + 1;
    this.#calls.set(from, calls);
    return calls <= this.#perSecond;
  }
}
