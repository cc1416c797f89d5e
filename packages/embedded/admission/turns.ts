/** Time for clients' work in one turn of the event loop, in ms. Other requests wait at most about this long. */
const turnMs = 8;

/** Tasks that are done are removed this many at a time, since removing one moves all others. */
const compactFrom = 1_000;

type Task = () => void;

/**
 * Spreads work that many clients ask for at once over turns of the event loop, so that other requests are answered in
 * between. A task starts at once while its turn has time left. Otherwise it waits for tasks that came earlier.
 */
export class Turns {
  #waiting: Task[] = [];
  #next = 0;
  #turnBegan: number | null = null;
  #isScheduled = false;
  #hasUnsettled = false;
  #isStepping = false;

  /** Returns whether the task ran at once. */
  run(task: Task): boolean {
    const { isBusy } = this;
    if (isBusy) {
      this.#waiting.push(task);
      this.#schedule();
    } else task();
    return !isBusy;
  }

  /** Resolves when it is the caller's turn. Until the caller has continued, nobody else's turn begins. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.run(() => {
        this.#hasUnsettled = true;
        afterMicrotasks(() => {
          this.#hasUnsettled = false;
          if (!this.#isStepping) this.#step();
        });
        resolve();
      });
    });
  }

  /** Whether others wait for their turn, or the present turn has no time left. */
  get isBusy(): boolean {
    return this.#hasUnsettled || this.#next < this.#waiting.length || !this.#hasTime();
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#turnBegan === null) {
      this.#turnBegan = now;
      this.#schedule();
    }
    return now - this.#turnBegan < turnMs;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turnBegan = null;
      this.#step();
    });
  }

  #step(): void {
    this.#isStepping = false;
    if (this.#hasUnsettled) return;
    const task = this.#waiting[this.#next];
    if (task === undefined) {
      this.#waiting = [];
      this.#next = 0;
      return;
    }
    if (!this.#hasTime()) {
      this.#schedule();
      return;
    }
    this.#next += 1;
    if (this.#next >= compactFrom) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#isStepping = true;
    // The time of what the task began counts, too.
    afterMicrotasks(() => this.#step());
    task();
  }
}

/** A tick requested by a microtask runs after all microtasks. */
function afterMicrotasks(act: () => void): void {
  queueMicrotask(() => process.nextTick(act));
}
