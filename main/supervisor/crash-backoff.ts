import { doubling } from "@gleaner/queue/worker";

const pauseAfter = doubling(1_000, 5 * 60_000);

/** Counts crashes in a row, and makes jobs wait after each. */
export class CrashBackoff {
  #crashes = 0;
  /** By `performance.now()`. */
  #restUntil = 0;

  /** Crashes since a job last succeeded. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Milliseconds until the next job may be tried; 0 if it may be tried now. */
  get restMs(): number {
    return Math.max(0, this.#restUntil - performance.now());
  }

  /** Counts a crash. Returns the length of the pause that begins now, in ms. */
  crashed(): number {
    this.#crashes += 1;
    const pauseMs = pauseAfter(this.#crashes);
    this.#restUntil = performance.now() + pauseMs;
    return pauseMs;
  }

  /** The next crash is the first in a row again. A pause that has begun continues. */
  succeeded(): void {
    this.#crashes = 0;
  }
}
