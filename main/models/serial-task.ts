/** Runs a task once at a time. Requests during a run cause one more run. */
export class SerialTask {
  readonly #work: () => Promise<void>;
  readonly #onRest: () => void;
  #working = false;
  #requested = false;

  /**
   * @param work does not reject.
   * @param onRest called when all requested runs are done.
   */
  constructor(work: () => Promise<void>, onRest: () => void) {
    this.#work = work;
    this.#onRest = onRest;
  }

  /** Starts at once if it does not run. */
  request(): void {
    this.#requested = true;
    if (this.#working) return;
    this.#working = true;
    void this.#workUntilDone();
  }

  async #workUntilDone(): Promise<void> {
    while (this.#takeRequest()) await this.#work();
    this.#working = false;
    this.#onRest();
  }

  #takeRequest(): boolean {
    const again = this.#requested;
    this.#requested = false;
    return again;
  }
}
