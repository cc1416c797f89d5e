/** A signal for a long transfer: it aborts once `extend` was not called for `withinMs` ms. */
export class IdleDeadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(withinMs: number) {
    const late = new DOMException("No data came in time", "TimeoutError");
    this.#timer = setTimeout(() => this.#controller.abort(late), withinMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(): void {
    this.#timer.refresh();
  }

  /** Call it at the end of the transfer. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
