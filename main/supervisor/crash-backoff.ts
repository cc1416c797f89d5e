/** The pause after the n-th crash in a row (n ≥ 1): one second, doubling up to five minutes. */
export function crashBackoffMs(crashes: number): number {
  return Math.min(5 * 60_000, 1_000 * 2 ** (crashes - 1));
}

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
    const pauseMs = crashBackoffMs(this.#crashes);
    this.#restUntil = performance.now() + pauseMs;
    return pauseMs;
  }

  /** The next crash is the first in a row again. A pause that has begun continues. */
  succeeded(): void {
    this.#crashes = 0;
  }
}
