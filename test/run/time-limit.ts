/** Steps may be left out so that a slow machine ends in time. `limitSeconds`: of the whole run. */
export class TimeLimit {
  readonly #limitSeconds: number;
  #usualSeconds = 0;

  constructor(limitSeconds: number) {
    this.#limitSeconds = limitSeconds;
  }

  /** Notes steps that have ended. @param usualSeconds the time that they take on a usual machine. */
  ended(usualSeconds: number): void {
    this.#usualSeconds += usualSeconds;
  }

  /**
   * Whether a step is likely to end in time. The steps before tell how slow this machine is.
   * @param elapsedSeconds since the start of the run.
   */
  allows(usualSeconds: number, elapsedSeconds: number): boolean {
    const slowness = this.#usualSeconds === 0 ? 1 : Math.max(1, elapsedSeconds / this.#usualSeconds);
    return elapsedSeconds + slowness * usualSeconds <= this.#limitSeconds;
  }
}
