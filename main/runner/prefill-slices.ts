const smallest = 16;
const largest = 64;
const targetMs = 50;

/**
 * How many prompt tokens to evaluate at once. llama.cpp cannot be interrupted within a slice, so a slice
 * should last about 50 ms on this machine; slices smaller than 64 cost some speed, so not smaller than that.
 */
export class PrefillSlices {
  #size = smallest;

  get size(): number {
    return this.#size;
  }

  measured(tokens: number, elapsedMs: number): void {
    const fitting = (tokens / Math.max(elapsedMs, 0.1)) * targetMs;
    // Doubling and halving only: one odd measurement should not swing it.
    if (fitting >= this.#size * 2) this.#size = Math.min(largest, this.#size * 2);
    else if (fitting < this.#size) this.#size = Math.max(smallest, this.#size / 2);
  }
}
