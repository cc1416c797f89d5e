const OTHER = "(other)";

/** Keeps a label to so many values, first come first kept: each makes a time series wherever it is collected. */
export class BoundedLabels {
  readonly #limit: number;
  readonly #known = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#limit) return OTHER;
    this.#known.add(value);
    return value;
  }
}
