/** A signal for a long transfer: it aborts once `extend` was not called for `withinMs` ms. */
export class IdleDeadline {
  readonly #controller = new AbortController();
  readonly #withinMs: number;
  #timer: NodeJS.Timeout;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  /** Call it at the end of the transfer. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(
      () => this.#controller.abort(new DOMException("No data came in time", "TimeoutError")),
      this.#withinMs,
    );
  }
}
