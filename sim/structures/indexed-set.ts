import type { Random } from "./random.ts";

/** A set of numbers from 0 to capacity-1 from which one can be drawn at random. */
export class IndexedSet {
  readonly #members: Int32Array;
  readonly #places: Int32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#members = new Int32Array(capacity);
    this.#places = new Int32Array(capacity).fill(-1);
  }

  get size(): number {
    return this.#size;
  }

  has = (member: number): boolean => (this.#places[member] ?? -1) >= 0;
  at = (index: number): number => this.#members[index] ?? -1;

  add(member: number): void {
    if (this.has(member)) return;
    this.#members[this.#size] = member;
    this.#places[member] = this.#size;
    this.#size += 1;
  }

  remove(member: number): void {
    const place = this.#places[member] ?? -1;
    if (place < 0) return;
    this.#size -= 1;
    const last = this.#members[this.#size] ?? -1;
    this.#members[place] = last;
    this.#places[last] = place;
    this.#places[member] = -1;
  }

  /** A random member, or -1 if the set is empty. */
  draw(random: Random): number {
    return this.#size === 0 ? -1 : this.at(random.below(this.#size));
  }
}
