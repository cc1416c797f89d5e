/** A job's place in the queue. Jobs with the same key need the same load, and can run side by side. */
export type Turn = { readonly key: string; readonly start: () => void };

/** The model in memory, and how many jobs its context holds at once. */
type LoadedTurns = { readonly key: string; readonly sequences: number };

/** Starts waiting jobs in their order: those of the model in memory side by side, those of another model after them. */
export class JobTurns {
  readonly #waiting: Turn[] = [];
  readonly #running = new Set<Turn>();
  /** Set after each load. Null while no model is loaded. */
  loaded: LoadedTurns | null = null;

  /** Jobs that have begun and not ended. */
  get running(): number {
    return this.#running.size;
  }

  /** Resolves when the job may begin, or with null if it was aborted before. Call `end` after a turn. */
  wait(key: string, signal: AbortSignal): Promise<Turn | null> {
    return new Promise((resolve) => {
      const turn: Turn = {
        key,
        start: () => {
          signal.removeEventListener("abort", leave);
          resolve(turn);
        },
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        resolve(null);
        this.startWaiting();
      };
      if (signal.aborted) {
        resolve(null);
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(turn);
      this.startWaiting();
    });
  }

  end(turn: Turn): void {
    this.#running.delete(turn);
    this.startWaiting();
  }

  /** Starts as many waiting jobs as now have room. */
  startWaiting(): void {
    const count = startableCount(this.#waiting, [...this.#running], this.loaded);
    for (const next of this.#waiting.splice(0, count)) {
      this.#running.add(next);
      next.start();
    }
  }
}

type Keyed = Pick<Turn, "key">;

/**
 * How many of the waiting jobs, from the first one on, may start now. A job of another model waits until none runs, and
 * the jobs behind it wait with it. So every model gets its turn.
 */
export function startableCount(
  waiting: readonly Keyed[],
  running: readonly Keyed[],
  loaded: LoadedTurns | null,
): number {
  const [first] = waiting;
  if (first === undefined) return 0;
  // Only the load tells how many jobs the next model holds. Until then a single one starts.
  if (loaded === null || loaded.key !== first.key) return running.length === 0 ? 1 : 0;
  if (running.some(({ key }) => key !== loaded.key)) return 0;
  const otherModel = waiting.findIndex(({ key }) => key !== loaded.key);
  const sameModel = otherModel === -1 ? waiting.length : otherModel;
  return Math.max(0, Math.min(sameModel, loaded.sequences - running.length));
}
