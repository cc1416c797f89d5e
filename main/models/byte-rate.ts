/** The rate of the last seconds, in bytes per second. */
export class ByteRate {
  readonly #windowMs: number;
  #chunks: { readonly at: number; readonly bytes: number }[] = [];

  constructor(windowMs = 5_000) {
    this.#windowMs = windowMs;
  }

  count(bytes: number, now: number): void {
    const last = this.#chunks.at(-1);
    // One entry per 100 ms is enough.
    if (last !== undefined && now - last.at < 100) {
      this.#chunks[this.#chunks.length - 1] = { at: last.at, bytes: last.bytes + bytes };
    } else {
      this.#chunks.push({ at: now, bytes });
    }
  }

  at(now: number): number {
    this.#chunks = this.#chunks.filter(({ at }) => now - at < this.#windowMs);
    const first = this.#chunks[0];
    if (first === undefined) return 0;
    const bytes = this.#chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    return Math.round((bytes * 1_000) / Math.max(1_000, now - first.at));
  }
}
