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

  /** For one job. Its pauses end when it is aborted: whoever waits for that should not wait for a pause. */
  paceFor(signal: AbortSignal): Pace {
    return () => {
      if (signal.aborted) return null;
      const rest = this.#rest();
      return rest === null ? null : unlessAborted(rest, signal);
    };
  }

  #rest(): Promise<void> | null {
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
  }

  /** Nothing runs: what follows is no work that has been done. */
  idle(): void {
    this.#workedSince = null;
  }
}

/** Resolves with the pause, or sooner with the abort. */
function unlessAborted(rest: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      signal.removeEventListener("abort", over);
      resolve();
    };
    signal.addEventListener("abort", over);
    void rest.then(over);
  });
}
