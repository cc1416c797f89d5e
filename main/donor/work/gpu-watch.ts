import type { Handler } from "@gleaner/queue/worker";

type GpuWatchDeps = {
  /** Whether a runner is alive. */
  readonly isRunning: () => boolean;
  /** Samples the GPUs' loads from now on. Resolves after the first sample. */
  readonly sample: () => Promise<void>;
  /** Called when an answer has changed. */
  readonly onChange: () => void;
};

/**
 * Knows when the GPUs' loads matter: from the start of a job until the runner has ended. So nothing is sampled, and no
 * program is started, while the donor waits for jobs.
 */
export class GpuWatch {
  readonly #deps: GpuWatchDeps;
  #jobs = 0;
  #first: Promise<void> | null = null;
  #sampled = false;

  constructor(deps: GpuWatchDeps) {
    this.#deps = deps;
  }

  /** Whether the loads are to be sampled. */
  get isNeeded(): boolean {
    return this.#jobs > 0 || this.#deps.isRunning();
  }

  /** Whether a first sample was taken for the jobs that run now. A load that is unknown after it stays unknown. */
  get isSampled(): boolean {
    return this.#sampled;
  }

  /** The handler starts when the load is known, or is known to be unknown. */
  checked(handler: Handler): Handler {
    return async (...job) => await this.during(async () => await handler(...job));
  }

  /** The same for other work with a model. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#jobs += 1;
    try {
      await this.#check();
      return await work();
    } finally {
      this.#jobs -= 1;
      this.#release();
    }
  }

  runnerEnded(): void {
    this.#release();
  }

  /** Jobs that start together share one sample. A job beside others finds the load sampled. */
  #check(): Promise<void> {
    this.#first ??= this.#deps.sample().finally(() => {
      this.#first = null;
      const isNew = !this.#sampled;
      this.#sampled = true;
      if (isNew) this.#deps.onChange();
    });
    return this.#first;
  }

  #release(): void {
    if (this.isNeeded) return;
    this.#sampled = false;
    this.#deps.onChange();
  }
}
