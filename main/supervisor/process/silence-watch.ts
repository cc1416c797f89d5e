import type { ReadCpuTimes } from "./cpu-times.ts";
import { type CpuTimes, silenceBetween, type SilenceLimits } from "./silence.ts";

/** How long one process has said nothing, counted in what it could have said it in. */
export class SilenceWatch {
  readonly #limits: SilenceLimits;
  readonly #read: ReadCpuTimes;
  #before: CpuTimes | null = null;
  #silence = 0;

  constructor(limits: SilenceLimits, read: ReadCpuTimes) {
    this.#limits = limits;
    this.#read = read;
  }

  /** It has said something, or has nothing to say. */
  heard(): void {
    this.#silence = 0;
  }

  /** To be called once a tick. True when the process is stuck. */
  look(pid: number | undefined): boolean {
    const now = pid === undefined ? null : this.#read(pid);
    this.#silence += silenceBetween(this.#before, now, this.#limits);
    this.#before = now;
    // Sums of shares do not come out even.
    return this.#silence >= 1 - 1e-6;
  }
}
