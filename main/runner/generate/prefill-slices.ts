import { batchTokens } from "../load/batch-tokens.ts";

/** Also the step by which it grows and shrinks. */
const smallest = 32;
const targetMs = 350;

/**
 * How many prompt tokens to evaluate at once. llama.cpp cannot be interrupted within a slice, and small slices cost:
 * on one thread and a model of 100 million parameters a prompt takes 1.8 times as long in slices of 16 tokens as in one
 * of 512, 1.5 times in those of 32, 1.15 in those of 64, 1.03 in those of 128. So they last about 350 ms on this
 * machine, with those of other jobs in the same batch: half of what a job that is cancelled is given to stop in. Who
 * cannot wait so long ends the process. Larger than the context's batch (`largest`) they would be cut anyway.
 */
export class PrefillSlices {
  readonly #largest: number;
  #size = smallest;

  constructor(largest: number = batchTokens.cpu) {
    this.#largest = largest;
  }

  get size(): number {
    return this.#size;
  }

  measured(tokens: number, elapsedMs: number): void {
    const fitting = (tokens / Math.max(elapsedMs, 0.1)) * targetMs;
    this.#size = Math.min(this.#largest, Math.max(smallest, this.#next(fitting)));
  }

  /** One odd measurement should not swing it: far off it doubles or halves, near by it goes a step. */
  #next(fitting: number): number {
    const size = this.#size;
    if (fitting >= size * 2) return size * 2;
    if (fitting >= size + smallest) return size + smallest;
    if (fitting >= size) return size;
    return fitting < size / 2 ? size / 2 : size - smallest;
  }
}
