/** The computer's two clocks, in ms. */
export type Clocks = {
  /** Time since the epoch, which may be set forward or back. */
  readonly wall: () => number;
  /** Time since some moment. Nobody sets it. */
  readonly steady: () => number;
};

export const computerClocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() };

/** Measures the age of an event that is known by its time on the wall clock. Setting that clock changes no age. */
export class StampAge {
  readonly #clocks: Clocks;
  #stamp: number | null = null;
  #since = 0;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** @param stamp the time of the last event, in ms since the epoch. @returns its age in ms. */
  of(stamp: number): number {
    const { wall, steady } = this.#clocks;
    if (stamp !== this.#stamp) this.#since = steady() - Math.max(0, wall() - stamp);
    this.#stamp = stamp;
    return steady() - this.#since;
  }
}
