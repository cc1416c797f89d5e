/** The machine's two clocks, in ms. */
export type MachineClocks = {
  /** Time since the epoch. People and NTP may set it, forward or back. */
  readonly wall: () => number;
  /** Time since some moment. Nobody sets it. It may stop while the machine sleeps. */
  readonly steady: () => number;
};

export const machineClocks: MachineClocks = { wall: () => Date.now(), steady: () => performance.now() };

/** How much slower the clock may run than the machine's steady one, until the wall clock has caught up: an hour in 20. */
const slowness = 0.05;

/**
 * The backend's time since the epoch. It is the wall clock's, except that it never goes back: stored times, such as the end of a
 * lease, would then lie too far in the future. After a step back it goes on, a little slower, until the wall clock has caught
 * up. A step forward is taken at once.
 */
export class BackendClock {
  readonly #machine: MachineClocks;
  #time: number;
  #readAt: number;

  /** @param earliest ms since the epoch; the clock starts there if the wall clock shows less. */
  constructor(machine: MachineClocks, earliest: number) {
    this.#machine = machine;
    this.#time = earliest;
    this.#readAt = machine.steady();
  }

  /** Whole milliseconds since the epoch, never less than before. */
  now(): number {
    const { wall, steady } = this.#machine;
    const at = steady();
    this.#time = Math.max(wall(), this.#time + (at - this.#readAt) * (1 - slowness));
    this.#readAt = at;
    return Math.floor(this.#time);
  }

  /** How far the clock is ahead of the wall clock, in ms: the rest of a step back. */
  aheadMs(): number {
    return this.now() - Math.floor(this.#machine.wall());
  }
}
