/** How long after the n-th crash in a row (n ≥ 1) no job is tried: a second, doubling, five minutes at most. */
export function crashBackoffMs(crashes: number): number {
  return Math.min(5 * 60_000, 1_000 * 2 ** (crashes - 1));
}

/** Keeps what crashes from being tried again and again. */
export class CrashBackoff {
  #crashes = 0;
  /** Of `performance.now()`. */
  #restingUntil = 0;

  /** How many there were since a job ended well. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Milliseconds until the next job may be tried. 0: at any time. */
  get restMs(): number {
    return Math.max(0, this.#restingUntil - performance.now());
  }

  /** One more. Returns for how many milliseconds no job is tried now. */
  crashed(): number {
    this.#crashes += 1;
    const pauseMs = crashBackoffMs(this.#crashes);
    this.#restingUntil = performance.now() + pauseMs;
    return pauseMs;
  }

  /** A job ended well: the next crash is the first in a row. A rest that has begun goes on. */
  succeeded(): void {
    this.#crashes = 0;
  }
}
