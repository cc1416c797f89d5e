/** Asked before each step of work: resolves when it may be done. Null: at once. */
export type Pace = () => Promise<void> | null;

export const fullPace: Pace = () => null;

/** Shorter pauses cost more than they rest. */
const shortestPauseMs = 20;

/**
 * Works for a share of the time only, so that the machine stays cool and quiet: after some work it rests, as long as
 * the share says, and all jobs with it.
 */
export class DutyCycle {
  #share = 1;
  #workedSince: number | null = null;
  #resting: Promise<void> | null = null;

  /** @param share above 0, at most 1. */
  set share(share: number) {
    this.#share = share;
    if (share >= 1) this.#workedSince = null;
  }

  readonly pace: Pace = () => {
    if (this.#resting !== null) return this.#resting;
    if (this.#share >= 1) return null;
    const now = performance.now();
    this.#workedSince ??= now;
    const pauseMs = (now - this.#workedSince) * (1 / this.#share - 1);
    if (pauseMs < shortestPauseMs) return null;
    this.#resting = new Promise((resolve) => {
      setTimeout(() => {
        this.#resting = null;
        this.#workedSince = null;
        resolve();
      }, pauseMs);
    });
    return this.#resting;
  };

  /** Nothing runs: what follows is no work that has been done. */
  idle(): void {
    this.#workedSince = null;
  }
}
