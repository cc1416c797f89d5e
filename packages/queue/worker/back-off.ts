export type BackOffDelay = (failures: number) => number;

/** After the n-th refusal in a row (n ≥ 1), in ms: so long, doubling, no longer than that. */
export function doubling(firstMs: number, longestMs: number): BackOffDelay {
  return (failures) => Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

export const oneToSixtySeconds = doubling(1_000, 60_000);

/** The same, but up to half of it earlier, by chance: after an outage a fleet must not come back in step. */
const spreadOut: BackOffDelay = (failures) => oneToSixtySeconds(failures) * (1 - Math.random() / 2);

/** Tries something again after refusals, later each time. */
export class BackOff {
  readonly #delayMs: BackOffDelay;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(delayMs: BackOffDelay = spreadOut) {
    this.#delayMs = delayMs;
  }

  /** Between a refusal and the next try. */
  get waiting(): boolean {
    return this.#timer !== null;
  }

  refused(again: () => void): void {
    this.cancel();
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      again();
    }, this.#delayMs(this.#failures));
  }

  taken(): void {
    this.cancel();
    this.#failures = 0;
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
