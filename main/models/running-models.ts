/** The models that the runner may hold, in its memory or on the way there: none while it is not there. */
export class RunningModels {
  readonly #isRunnerUp: () => boolean;
  readonly #used = new Set<string>();
  #startedAt = 0;

  constructor(isRunnerUp: () => boolean) {
    this.#isRunnerUp = isRunnerUp;
  }

  /** A job is about to run with it: the runner starts for that. */
  used(sha256: string): void {
    if (!this.#isRunnerUp()) this.#used.clear();
    this.#used.add(sha256);
    this.#startedAt = performance.now();
  }

  /** By SHA-256. */
  now(): ReadonlySet<string> {
    // A runner that is about to start has no process yet.
    if (!this.#isRunnerUp() && performance.now() - this.#startedAt > startsWithinMs) this.#used.clear();
    return this.#used;
  }
}

const startsWithinMs = 60_000;
