type Step = () => Promise<void>;

/** What is to be undone when the backend stops, or could not start. */
export class Closing {
  readonly #first: (() => void)[] = [];
  readonly #together: Step[] = [];
  readonly #afterwards: Step[] = [];

  /** At once: what only has to be told. */
  first(step: () => void): void {
    this.#first.push(step);
  }

  /** Then, all at the same time: what gives its work a while to finish. */
  together(step: Step): void {
    this.#together.push(step);
  }

  /** Last, one after the other, the newest first: what all of that stands on. */
  afterwards(step: Step): void {
    this.#afterwards.push(step);
  }

  /** Runs all of it, once. Rejects with what failed, when all is done. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (step: () => void | Promise<void>): Promise<unknown> =>
      Promise.resolve()
        .then(step)
        .catch((error: unknown) => failures.push(error));
    for (const step of this.#first.splice(0)) await attempt(step);
    await Promise.all(this.#together.splice(0).map(attempt));
    for (const step of this.#afterwards.splice(0).reverse()) await attempt(step);
    if (failures.length > 0) throw new AggregateError(failures, "The backend did not stop cleanly");
  }
}
