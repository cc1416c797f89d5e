export type BackOffDelay = (failures: number) => number;

/** After the n-th failure in a row (n ≥ 1), in ms: `firstMs`, then twice as long each time, up to `longestMs`. */
export function doubling(firstMs: number, longestMs: number): BackOffDelay {
  return (failures) => Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

export const oneToSixtySeconds = doubling(1_000, 60_000);

/** As `oneToSixtySeconds`, but up to half earlier: after an outage a fleet must not retry in step. `random`: 0 to 1. */
export function spreadOut(failures: number, random: number): number {
  return oneToSixtySeconds(failures) * (1 - random / 2);
}

/** Failures in a row, and when the next try is due. */
export type Failures = { readonly count: number; readonly until: number };

export const noFailures: Failures = { count: 0, until: 0 };

export function afterFailure({ count }: Failures, now: number, random: number): Failures {
  return { count: count + 1, until: now + spreadOut(count + 1, random) };
}

/** Retries something after failures, later each time. */
export class BackOff {
  readonly #delayMs: BackOffDelay;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(delayMs: BackOffDelay = (failures) => spreadOut(failures, Math.random())) {
    this.#delayMs = delayMs;
  }

  /** Between a failure and the next try. */
  get isPending(): boolean {
    return this.#timer !== null;
  }

  scheduleRetry(again: () => void): void {
    this.cancel();
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      again();
    }, this.#delayMs(this.#failures));
  }

  reset(): void {
    this.cancel();
    this.#failures = 0;
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
