/**
 * Keeps jobs side by side in step, so that each batch of their context has a step of every job. By itself the library
 * begins the next batch as soon as the first job is ready for it. Then two jobs never share a batch, three of four do,
 * and a sequence that has to be cleared waits until the other jobs end.
 */
export class SharedBatches {
  /** Steps of the present batch that have not ended. */
  #running = 0;
  #waiting: readonly (() => void)[] = [];

  /** Runs a step in the next batch, when all steps of the present one have ended. */
  async step<T>(run: () => Promise<T>): Promise<T> {
    if (this.#running === 0 && this.#waiting.length === 0) this.#running = 1;
    else await new Promise<void>((resolve) => (this.#waiting = [...this.#waiting, resolve]));
    try {
      return await run();
    } finally {
      this.#running -= 1;
      // Later, so that the job of this step can join, and the library's batch has ended.
      if (this.#running === 0 && this.#waiting.length > 0) setImmediate(() => this.#begin());
    }
  }

  /** The values of a generator, each of them a step. Ends if the signal was aborted before a step. */
  async *each<T>(values: AsyncGenerator<T, unknown>, signal: AbortSignal): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const next = await this.step(async () => (signal.aborted ? null : await values.next()));
        if (next === null || next.done === true) return;
        yield next.value;
      }
    } finally {
      await values.return(undefined);
    }
  }

  #begin(): void {
    const steps = this.#waiting;
    this.#waiting = [];
    this.#running = steps.length;
    for (const resolve of steps) resolve();
  }
}
