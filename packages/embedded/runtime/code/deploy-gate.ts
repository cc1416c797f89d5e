/**
 * Lets queries and attempts of mutations run together, and a deploy or an import by itself. It waits until those that run
 * have ended. Later ones wait for it, and begin with the new code and data.
 */
export class DeployGate {
  #running = 0;
  #deploying: Promise<void> | null = null;
  #onIdle: (() => void) | null = null;

  /** Runs a task together with others. */
  async pass<T>(task: () => Promise<T>): Promise<T> {
    while (this.#deploying !== null) await this.#deploying;
    this.#running += 1;
    try {
      return await task();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  /** Runs a task when no other runs. */
  async alone<T>(task: () => T): Promise<T> {
    while (this.#deploying !== null) await this.#deploying;
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    let open = (): void => undefined;
    this.#deploying = new Promise((resolve) => (open = resolve));
    try {
      if (this.#running > 0) await idle;
      return task();
    } finally {
      this.#onIdle = null;
      this.#deploying = null;
      open();
    }
  }
}
