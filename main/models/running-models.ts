/** The models that the runner may have in memory or may be loading. None while it does not run. */
export class RunningModels {
  readonly #isRunnerUp: () => boolean;
  readonly #used = new Set<string>();
  #startedAt = 0;

  constructor(isRunnerUp: () => boolean) {
    this.#isRunnerUp = isRunnerUp;
  }

  /** A job is about to use the model, and the runner starts for it. */
  used(sha256: string): void {
    if (!this.#isRunnerUp()) this.#used.clear();
    this.#used.add(sha256);
    this.#startedAt = performance.now();
  }

  /** The models' SHA-256 hashes. */
  now(): ReadonlySet<string> {
    // A runner that is about to start has no process yet.
    if (!this.#isRunnerUp() && performance.now() - this.#startedAt > startsWithinMs) this.#used.clear();
    return this.#used;
  }
}

const startsWithinMs = 60_000;
