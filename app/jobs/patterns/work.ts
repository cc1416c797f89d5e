/** A grammar cannot enforce this: it is not regular, or it is too large. */
export class Unenforceable extends Error {}

/** Steps of all automata of a schema together. They take some 50 ms, once the code is warm. */
export const mostWork = 300_000;

/**
 * Counts the steps of making automata: each character, node and state that is looked at. It counts no time, so that all devices
 * make the same automata.
 */
export class Work {
  #left: number;

  constructor(most = mostWork) {
    this.#left = most;
  }

  get left(): number {
    return this.#left;
  }

  /** Call it before the steps are done. Throws Unenforceable if fewer are left. */
  spend(steps: number): void {
    if (steps > this.#left) throw new Unenforceable();
    this.#left -= steps;
  }

  /** Makes something with a part of the steps that are left. The others remain, even if this part does not suffice. */
  withPart<T>(part: number, make: (work: Work) => T): T {
    const inner = new Work(Math.floor(this.#left * part));
    const most = inner.left;
    try {
      return make(inner);
    } finally {
      this.#left -= most - inner.left;
    }
  }
}
