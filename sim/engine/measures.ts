/** The result of one run of one policy. */
export type Outcome = {
  /** The waits in ms: from submission to start, and from ready again to the next start. */
  readonly waits: Float64Array;
  /** The counted jobs that were submitted before the end. */
  readonly jobs: number;
  readonly conflicts: number;
  readonly failures: number;
  readonly steals: number;
  readonly wakes: number;
  /** The starts of jobs, including those after a release, and the starts on a device with the prefix. */
  readonly starts: number;
  readonly hits: number;
  /** The idle device time while a job was ready, in ms. */
  readonly idleMs: number;
  /** Jobs that had not started at the end. Their waits count until then. */
  readonly unstarted: number;
  readonly events: number;
};

/** Counts from the first counted job on. */
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

  /** Call it at every change of the number of idle devices or ready jobs. */
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
