const smallest = 16;
const targetMs = 50;

/**
 * How many prompt tokens to evaluate at once. llama.cpp cannot be interrupted within a slice, so a slice
 * should last about 50 ms on this machine; slices smaller than 64 cost some speed on a CPU, so not smaller than that
 * where that is quick enough. Larger than the context's batch (`largest`) they would be cut anyway.
 */
export class PrefillSlices {
  readonly #largest: number;
  #size = smallest;

  constructor(largest = 64) {
    this.#largest = largest;
  }

  get size(): number {
    return this.#size;
  }

  measured(tokens: number, elapsedMs: number): void {
    const fitting = (tokens / Math.max(elapsedMs, 0.1)) * targetMs;
    // Doubling and halving only: one odd measurement should not swing it.
    if (fitting >= this.#size * 2) this.#size = Math.min(this.#largest, this.#size * 2);
    else if (fitting < this.#size) this.#size = Math.max(smallest, this.#size / 2);
  }
}
