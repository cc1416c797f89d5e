import { happening } from "../../with-resolvers.ts";

/** Asked before each step of work: resolves when it may be done. Null: at once. */
export type Pace = () => Promise<void> | null;

export const fullPace: Pace = () => null;

/** Shorter pauses cost more than they rest. */
const shortestPauseMs = 20;

/** A clock in ms. */
export type Clock = () => number;

type Rest = { readonly since: number; readonly over: Promise<void>; readonly end: () => void };

/**
 * Works for a share of the time only, so that the machine stays cool and quiet: after some work it rests, as long as
 * the share says, and all jobs with it. With a share of 0 it stands still.
 */
export class DutyCycle {
  #share = 1;
  #workedSince: number | null = null;
  #resting: Rest | null = null;
  #restedMs = 0;

  /** @param share 0 to 1. */
  set share(share: number) {
    const stood = this.#share === 0;
    this.#share = share;
    if (share >= 1) this.#workedSince = null;
    if (share > 0 && stood) this.#resting?.end();
  }

  /** Stands while it rests: what a job takes by it says how fast the machine is, whatever its person does meanwhile. */
  readonly clock: Clock = () => (this.#resting?.since ?? performance.now()) - this.#restedMs;

  /** For one job. Its pauses end when it is aborted: whoever waits for that should not wait for a pause. */
  paceFor(signal: AbortSignal): Pace {
    return () => {
      if (signal.aborted) return null;
      const rest = this.#rest();
      return rest === null ? null : unlessAborted(rest.over, signal);
    };
  }

  /** The same for what is long and seldom, such as loading a model: it waits where all stands still, and costs no rest. */
  startFor(signal: AbortSignal): Pace {
    return () => {
      if (signal.aborted || this.#share > 0) return null;
      return unlessAborted((this.#resting ?? this.#begin()).over, signal);
    };
  }

  #rest(): Rest | null {
    if (this.#resting !== null) return this.#resting;
    if (this.#share >= 1) return null;
    if (this.#share === 0) return this.#begin();
    const now = performance.now();
    this.#workedSince ??= now;
    const pauseMs = (now - this.#workedSince) * (1 / this.#share - 1);
    if (pauseMs < shortestPauseMs) return null;
    const rest = this.#begin();
    setTimeout(() => {
      // Made to stand still meanwhile, it goes on with that.
      if (this.#share > 0) rest.end();
    }, pauseMs);
    return rest;
  }

  #begin(): Rest {
    const { promise, resolve } = happening();
    const rest: Rest = {
      since: performance.now(),
      over: promise,
      end: () => {
        if (this.#resting !== rest) return;
        this.#resting = null;
        this.#restedMs += performance.now() - rest.since;
        this.#workedSince = null;
        resolve();
      },
    };
    this.#resting = rest;
    return rest;
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
