type Step = () => Promise<void>;

/** Collects cleanup steps for when the backend stops or fails to start. */
export class Shutdown {
  readonly #first: (() => void)[] = [];
  readonly #together: Step[] = [];
  readonly #afterward: Step[] = [];

  /** Runs first: steps that only notify. */
  first(step: () => void): void {
    this.#first.push(step);
  }

  /** Runs second, concurrently: steps that wait for work to finish. */
  together(step: Step): void {
    this.#together.push(step);
  }

  /** Runs last, one by one, the newest first: the resources that the other steps need. */
  afterward(step: Step): void {
    this.#afterward.push(step);
  }

  /** Runs all steps once. If any failed, rejects at the end with all their errors. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (step: () => void | Promise<void>): Promise<unknown> =>
      Promise.resolve()
        .then(step)
        .catch((error: unknown) => failures.push(error));
    for (const step of this.#first.splice(0)) await attempt(step);
    await Promise.all(this.#together.splice(0).map(attempt));
    for (const step of this.#afterward.splice(0).reverse()) await attempt(step);
    if (failures.length > 0) throw new AggregateError(failures, "The backend did not stop cleanly");
  }
}
