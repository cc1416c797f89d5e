/** The occupied cells of a ring, in three layers of words. Finds the next occupied cell in a few steps. */
export class CellBits {
  readonly size: number;
  readonly #layers: readonly Int32Array[];

  /** @param size a power of two, at least 1,024. */
  constructor(size: number) {
    this.size = size;
    const layers = [];
    for (let words = size >>> 5; ; words = (words + 31) >>> 5) {
      layers.push(new Int32Array(words));
      if (words === 1) break;
    }
    this.#layers = layers;
  }

  add(cell: number): void {
    let at = cell;
    for (const layer of this.#layers) {
      const word = at >>> 5;
      layer[word] = (layer[word] ?? 0) | (1 << (at & 31));
      at = word;
    }
  }

  remove(cell: number): void {
    let at = cell;
    for (const layer of this.#layers) {
      const word = at >>> 5;
      const left = (layer[word] ?? 0) & ~(1 << (at & 31));
      layer[word] = left;
      if (left !== 0) return;
      at = word;
    }
  }

  /** The first occupied cell from `cell` to the ring's end, or -1. */
  from(cell: number): number {
    let at = cell;
    for (let depth = 0; depth < this.#layers.length; depth += 1) {
      const bits = (this.#layers[depth]?.[at >>> 5] ?? 0) & (at & 31 ? -1 << (at & 31) : -1);
      if (bits !== 0) return this.#down(depth, (at & ~31) + lowest(bits), lowest);
      at = (at >>> 5) + 1;
      if (at >= (this.#layers[depth]?.length ?? 0)) return -1;
    }
    return -1;
  }

  /** The last occupied cell from the ring's start up to `cell`, or -1. */
  upTo(cell: number): number {
    let at = cell;
    for (let depth = 0; depth < this.#layers.length; depth += 1) {
      const bits = (this.#layers[depth]?.[at >>> 5] ?? 0) & (-1 >>> (31 - (at & 31)));
      if (bits !== 0) return this.#down(depth, (at & ~31) + highest(bits), highest);
      at = (at >>> 5) - 1;
      if (at < 0) return -1;
    }
    return -1;
  }

  #down(depth: number, found: number, pick: (bits: number) => number): number {
    let at = found;
    for (let layer = depth - 1; layer >= 0; layer -= 1) at = (at << 5) + pick(this.#layers[layer]?.[at] ?? 0);
    return at;
  }
}

const lowest = (bits: number) => 31 - Math.clz32(bits & -bits);
const highest = (bits: number) => 31 - Math.clz32(bits);
