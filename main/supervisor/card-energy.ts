/** A job waits for this before it begins. The runner answers within milliseconds. */
const patienceMs = 500;

/** Questions to the runner for the energy that the graphics cards have used. */
export class CardEnergy {
  readonly #waiting = new Set<(joules: number | null) => void>();

  /** @returns joules; null if the runner does not know, or does not answer in time. */
  ask(send: () => void): Promise<number | null> {
    return new Promise((resolve) => {
      const settle = (joules: number | null): void => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve(joules);
      };
      const timer = setTimeout(() => settle(null), patienceMs);
      this.#waiting.add(settle);
      send();
    });
  }

  /** One answer is for all that wait. Null: the runner has ended. */
  answer(joules: number | null): void {
    for (const settle of [...this.#waiting]) settle(joules);
  }
}
