import { doubling } from "@gleaner/queue/worker";

const pauseAfter = doubling(1_000, 5 * 60_000);
/** Requests that end the process are no reason to rest for minutes: other jobs would suffer for them. */
const pauseAfterRequests = doubling(1_000, 30_000);
/** This many such ends in a row cause no pause. */
const freeEnds = 2;

/** Counts crashes in a row, and makes jobs wait after each. */
export class CrashBackoff {
  #crashes = 0;
  #byRequests = 0;
  /** By `performance.now()`. */
  #restUntil = 0;

  /** Crashes since a job last succeeded. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Milliseconds until the next job may be tried; 0 if it may be tried now. */
  get restMs(): number {
    return Math.max(0, this.#restUntil - performance.now());
  }

  /** Counts a crash. Returns the length of the pause that begins now, in ms. */
  crashed(): number {
    this.#crashes += 1;
    return this.#pause(pauseAfter(this.#crashes));
  }

  /** A request ended the process. Returns the length of the pause that begins now, in ms; 0 for the first ones. */
  endedByRequest(): number {
    this.#byRequests += 1;
    const counted = this.#byRequests - freeEnds;
    return this.#pause(counted > 0 ? pauseAfterRequests(counted) : 0);
  }

  /** The next crash is the first in a row again. A pause that has begun continues. */
  succeeded(): void {
    this.#crashes = 0;
    this.#byRequests = 0;
  }

  #pause(ms: number): number {
    this.#restUntil = Math.max(this.#restUntil, performance.now() + ms);
    return ms;
  }
}
