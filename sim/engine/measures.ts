/** What one run of one policy came to. */
export type Outcome = {
  /** From submission to start, and from being ready again to the next start; in ms. */
  readonly waits: Float64Array;
  /** Counted jobs that were submitted before it ended. */
  readonly jobs: number;
  readonly conflicts: number;
  readonly failures: number;
  readonly steals: number;
  readonly wakes: number;
  /** Starts of jobs, the second ones after a release among them; and those by a device that held the prefix. */
  readonly starts: number;
  readonly hits: number;
  /** Device time that was idle while a job was ready, in ms. */
  readonly idleMs: number;
  /** Jobs that had not started when it was cut off: their waits are as long as they had lasted. */
  readonly unstarted: number;
  readonly events: number;
};

/** Counts what happens from the first counted job on. */
export class Measures {
  conflicts = 0;
  failures = 0;
  steals = 0;
  wakes = 0;
  hits = 0;
  starts = 0;
  idleMs = 0;
  #waits = new Float64Array(1024);
  #waited = 0;
  #since = 0;
  #idle = 0;
  #ready = 0;
  readonly #countedFromMs: number;

  constructor(countedFromMs: number) {
    this.#countedFromMs = countedFromMs;
  }

  /** Call with every change of the number of idle devices or of ready jobs. */
  change(now: number, idle: number, ready: number): void {
    const from = Math.max(this.#since, this.#countedFromMs);
    if (now > from) this.idleMs += Math.min(this.#idle, this.#ready) * (now - from);
    this.#since = now;
    this.#idle += idle;
    this.#ready += ready;
  }

  counts(now: number): boolean {
    return now >= this.#countedFromMs;
  }

  waited(ms: number): void {
    if (this.#waited === this.#waits.length) {
      const larger = new Float64Array(2 * this.#waited);
      larger.set(this.#waits);
      this.#waits = larger;
    }
    this.#waits[this.#waited] = ms;
    this.#waited += 1;
  }

  outcome(jobs: number, unstarted: number, events: number): Outcome {
    const { conflicts, failures, steals, wakes, hits, starts, idleMs } = this;
    const waits = this.#waits.slice(0, this.#waited);
    return { waits, jobs, unstarted, events, conflicts, failures, steals, wakes, hits, starts, idleMs };
  }
}
