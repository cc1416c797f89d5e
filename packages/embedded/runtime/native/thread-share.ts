/**
 * Shares threads between owners. An owner has one task at a time in the queue, so many tasks of one owner delay the others by
 * one task.
 */
export class ThreadShare<Owner extends object> {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** The last task of each owner. */
  readonly #last = new WeakMap<Owner, Promise<unknown>>();

  /** @param threads the tasks that may run at a time */
  constructor(threads: number) {
    this.#free = threads;
  }

  /** Runs a task after the earlier ones of its owner, when a thread is free. Settles as the task does. */
  run<T>(owner: Owner, task: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(owner);
    const ended = earlier === undefined ? this.#whenFree(task) : earlier.then(() => this.#whenFree(task));
    this.#last.set(
      owner,
      ended.catch(() => undefined),
    );
    return ended;
  }

  async #whenFree<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
