/** Called before each step of work. Resolves when the step may begin; null means at once. */
export type Pace = () => Promise<void> | null;

export const fullPace: Pace = () => null;

/** A time in milliseconds since some fixed moment. */
type Clock = () => number;

/** The pace of one job and its measure of time. */
export type JobPace = {
  readonly signal: AbortSignal;
  readonly pace: Pace;
  /** Does not advance during rests. */
  readonly clock: Clock;
};

/** A shorter rest costs more than it gives. */
const shortestRestMs = 20;

type Rest = { readonly since: number; readonly over: Promise<void>; readonly end: () => void };

/**
 * Limits work to a share of the time, so that the computer stays cool and quiet. After some work all jobs rest together,
 * as long as the share demands. At a share of 0 all work pauses until the share is raised.
 */
export class DutyCycle {
  #share = 1;
  #workedSince: number | null = null;
  #resting: Rest | null = null;
  #restedMs = 0;

  /** @param share 0 to 1. */
  set share(share: number) {
    const wasPaused = this.#share === 0;
    this.#share = share;
    if (share >= 1) this.#workedSince = null;
    if (share > 0 && wasPaused) this.#resting?.end();
  }

  /** Does not advance during rests, so it measures the machine's speed and not its owner's rules. */
  readonly clock: Clock = () => (this.#resting?.since ?? performance.now()) - this.#restedMs;

  /** The pace of one job. An abort ends its rest, so that nobody waits for a rest to end. */
  paceFor(signal: AbortSignal): Pace {
    return () => {
      if (signal.aborted) return null;
      const rest = this.#restIfDue();
      return rest === null ? null : unlessAborted(rest.over, signal);
    };
  }

  /** The pace of long and rare steps, such as a load. Such a step waits only while all work is paused. */
  startFor(signal: AbortSignal): Pace {
    return () => {
      if (signal.aborted || this.#share > 0) return null;
      return unlessAborted((this.#resting ?? this.#beginRest()).over, signal);
    };
  }

  /** No job runs anymore. The time until the next one is not work. */
  idle(): void {
    this.#workedSince = null;
  }

  #restIfDue(): Rest | null {
    if (this.#resting !== null) return this.#resting;
    if (this.#share >= 1) return null;
    if (this.#share === 0) return this.#beginRest();
    const now = performance.now();
    this.#workedSince ??= now;
    const restMs = (now - this.#workedSince) * (1 / this.#share - 1);
    if (restMs < shortestRestMs) return null;
    const rest = this.#beginRest();
    setTimeout(() => {
      // If all work was paused meanwhile, this rest becomes that pause.
      if (this.#share > 0) rest.end();
    }, restMs);
    return rest;
  }

  #beginRest(): Rest {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const rest: Rest = {
      since: performance.now(),
      over: promise,
      end: () => {
        if (this.#resting !== rest) return;
        this.#resting = null;
        this.#restedMs += performance.now() - rest.since;
        this.#workedSince = null;
        resolve(undefined);
      },
    };
    this.#resting = rest;
    return rest;
  }
}

/** Resolves at the end of the rest, or sooner at the abort. */
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
