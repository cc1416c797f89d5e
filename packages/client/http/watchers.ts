/** The watchers of a client. Each has a signal of its own, because Node warns of more than ten listeners at one signal. */
export class Watchers {
  readonly #running = new Set<AbortController>();

  /**
   * Yields what `watch` yields. It ends with the reason of `end`, or of the reader's own signal.
   * @param watch gets the signal that ends its waits and its calls.
   */
  async *run<Item>(
    signal: AbortSignal | undefined,
    watch: (signal: AbortSignal) => AsyncGenerator<Item, undefined>,
  ): AsyncGenerator<Item, undefined> {
    const own = new AbortController();
    const either = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]);
    this.#running.add(own);
    try {
      for await (const item of watch(either)) {
        yield item;
        either.throwIfAborted();
      }
      return undefined;
    } catch (error) {
      // A call that was cut off says only that the server cannot be reached.
      either.throwIfAborted();
      throw error;
    } finally {
      this.#running.delete(own);
    }
  }

  /** Ends the watchers that run now. Later ones are not concerned. */
  end(reason: Error): void {
    for (const watcher of this.#running) watcher.abort(reason);
  }
}
