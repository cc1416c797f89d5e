/** An event: a kind and two numbers. */
export type Event = { at: number; kind: number; a: number; b: number };

/**
 * A binary heap of events by time, in typed arrays: a million events take 20 MB and cost the garbage collector
 * nothing. The order of simultaneous events depends only on the order of the pushes.
 */
export class EventQueue {
  #times = new Float64Array(1024);
  #kinds = new Uint8Array(1024);
  #as = new Int32Array(1024);
  #bs = new Int32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(at: number, kind: number, a = 0, b = 0): void {
    if (this.#size === this.#times.length) this.#grow();
    const times = this.#times;
    let hole = this.#size;
    this.#size += 1;
    while (hole > 0) {
      const parent = (hole - 1) >>> 1;
      if ((times[parent] ?? 0) <= at) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#put(hole, at, kind, a, b);
  }

  /** Writes the earliest event into `into`. Returns false if the queue is empty. */
  pop(into: Event): boolean {
    if (this.#size === 0) return false;
    const times = this.#times;
    into.at = times[0] ?? 0;
    into.kind = this.#kinds[0] ?? 0;
    into.a = this.#as[0] ?? 0;
    into.b = this.#bs[0] ?? 0;
    this.#size -= 1;
    const last = this.#size;
    const at = times[last] ?? 0;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= last) break;
      if (child + 1 < last && (times[child + 1] ?? 0) < (times[child] ?? 0)) child += 1;
      if ((times[child] ?? 0) >= at) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#put(hole, at, this.#kinds[last] ?? 0, this.#as[last] ?? 0, this.#bs[last] ?? 0);
    return true;
  }

  #put(index: number, at: number, kind: number, a: number, b: number): void {
    this.#times[index] = at;
    this.#kinds[index] = kind;
    this.#as[index] = a;
    this.#bs[index] = b;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] ?? 0, this.#kinds[from] ?? 0, this.#as[from] ?? 0, this.#bs[from] ?? 0);
  }

  #grow(): void {
    const size = 2 * this.#times.length;
    const times = new Float64Array(size);
    const kinds = new Uint8Array(size);
    const as = new Int32Array(size);
    const bs = new Int32Array(size);
    times.set(this.#times);
    kinds.set(this.#kinds);
    as.set(this.#as);
    bs.set(this.#bs);
    [this.#times, this.#kinds, this.#as, this.#bs] = [times, kinds, as, bs];
  }
}
