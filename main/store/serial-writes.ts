/** Runs the writes of one file one after the other, and none that comes after it was closed. */
export class SerialWrites {
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  /** Rejects if this write fails. Later writes run all the same. */
  run(write: () => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#last = this.#last.then(write, write);
    return this.#last;
  }

  /** Resolves when the last write has ended. The file can then be removed for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last.catch(() => undefined);
  }
}
