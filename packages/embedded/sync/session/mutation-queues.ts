/**
 * Runs the mutations of each client session in order. The order outlives the connection: after a reconnect, resent
 * mutations wait for those that the lost connection started.
 */
export class MutationQueues {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `task` after the session's earlier tasks; skips it if `canceled` returns true by then. */
  enqueue(sessionId: string, task: () => Promise<void>, canceled: () => boolean): void {
    const before = this.#tails.get(sessionId) ?? Promise.resolve();
    const tail = before.then(() => (canceled() ? undefined : task()));
    this.#tails.set(sessionId, tail);
    void tail.finally(() => {
      if (this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId);
    });
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
