import { randomFillSync } from "node:crypto";

const piecesAtOnce = 256;

/** Random bytes in pieces of one size. They are drawn for many pieces at once: most of the cost is the call. */
export class RandomPool {
  readonly #size: number;
  readonly #bytes: Buffer;
  #used: number;

  /** @param size bytes of a piece */
  constructor(size: number) {
    this.#size = size;
    this.#bytes = Buffer.alloc(piecesAtOnce * size);
    this.#used = this.#bytes.length;
  }

  /** A piece, valid until the next call. */
  next(): Buffer {
    if (this.#used === this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#used = 0;
    }
    this.#used += this.#size;
    return this.#bytes.subarray(this.#used - this.#size, this.#used);
  }
}
