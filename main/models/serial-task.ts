/** Work that is done once at a time: whoever asks for it meanwhile has it done once more after. */
export class SerialTask {
  readonly #work: () => Promise<void>;
  readonly #onRest: () => void;
  #working = false;
  #again = false;

  /**
   * @param work does not reject.
   * @param onRest called when all that was asked for is done.
   */
  constructor(work: () => Promise<void>, onRest: () => void) {
    this.#work = work;
    this.#onRest = onRest;
  }

  /** Begins at once, if it is not under way. */
  ask(): void {
    this.#again = true;
    if (this.#working) return;
    this.#working = true;
    void this.#workUntilDone();
  }

  async #workUntilDone(): Promise<void> {
    while (this.#takeAgain()) await this.#work();
    this.#working = false;
    this.#onRest();
  }

  #takeAgain(): boolean {
    const again = this.#again;
    this.#again = false;
    return again;
  }
}
