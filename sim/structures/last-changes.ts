/**
 * The time of the last change in each cell of a ring and in any range. A tree keeps the latest time of every
 * pair. Times never decrease, so a change only writes its path to the root.
 */
export class LastChanges {
  readonly #size: number;
  readonly #times: Float64Array;

  /** @param size a power of two. */
  constructor(size: number) {
    this.#size = size;
    this.#times = new Float64Array(2 * size).fill(Number.NEGATIVE_INFINITY);
  }

  note(cell: number, at: number): void {
    for (let node = cell + this.#size; node >= 1; node >>>= 1) this.#times[node] = at;
  }

  /** The latest change in the cells [from, to). Wraps around the ring if `to` <= `from`. */
  latest(from: number, to: number): number {
    if (to <= from) return Math.max(this.#span(from, this.#size), this.#span(0, to));
    return this.#span(from, to);
  }

  #span(from: number, to: number): number {
    let latest = Number.NEGATIVE_INFINITY;
    let low = from + this.#size;
    let high = to + this.#size;
    while (low < high) {
      if (low & 1) latest = Math.max(latest, this.#times[low++] ?? 0);
      if (high & 1) latest = Math.max(latest, this.#times[--high] ?? 0);
      low >>>= 1;
      high >>>= 1;
    }
    return latest;
  }
}
