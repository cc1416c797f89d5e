/**
 * Runs the mutations of each client session one after another. The order outlives the connection: what a
 * reconnected client sends again waits for what its lost connection had already started.
 */
export class MutationLanes {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `task` when all earlier ones of the session are done; skips it if `cancelled` by then. */
  enqueue(sessionId: string, task: () => Promise<void>, cancelled: () => boolean): void {
    const before = this.#tails.get(sessionId) ?? Promise.resolve();
    const tail = before.then(() => (cancelled() ? undefined : task()));
    this.#tails.set(sessionId, tail);
    void tail.finally(() => {
      if (this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId);
    });
  }

  /** Resolves when nothing is running any more. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
