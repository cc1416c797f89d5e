/** So many promises, without what they do, fill the memory that a function of Convex has. */
const mostPromises = 2 ** 18;

/**
 * Counts the promises that an execution makes while the jobs that were there before wait. All that wait at the end of an execution
 * have to be ended one by one, which would take half a minute for those that code can make in a second.
 */
export class PromiseFlood {
  #made = 0;
  #isWaiting = false;

  /** Counts the promises made since the last call. Returns whether they are too many. */
  isFull(made: number): boolean {
    this.#made += made;
    if (!this.#isWaiting) void this.#startAgain();
    return this.#made > mostPromises;
  }

  /** Begins a new count once all jobs that wait now have run. */
  async #startAgain(): Promise<void> {
    this.#isWaiting = true;
    this.#made = 0;
    await Promise.resolve();
    this.#isWaiting = false;
  }
}
