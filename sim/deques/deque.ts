/** Jobs of one worker: it pushes and takes at the front, thieves take from the back. Every operation takes constant time. */
export class Deque<T> {
  /** A circular buffer from #head on. It doubles when it is full. */
  #slots: (T | undefined)[] = new Array<T | undefined>(8);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds at the back. */
  push(item: T): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[this.#index(this.#size)] = item;
    this.#size += 1;
  }

  /** Adds at the owner's end. */
  pushFront(item: T): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#head = this.#index(this.#slots.length - 1);
    this.#slots[this.#head] = item;
    this.#size += 1;
  }

  /** The next item for a thief. Undefined if empty. */
  get back(): T | undefined {
    return this.#size === 0 ? undefined : this.#slots[this.#index(this.#size - 1)];
  }

  /** Takes at the owner's end. Undefined if empty. */
  takeFront(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = this.#index(1);
    this.#size -= 1;
    return item;
  }

  /** Takes at the thieves' end. Undefined if empty. */
  takeBack(): T | undefined {
    if (this.#size === 0) return undefined;
    const index = this.#index(this.#size - 1);
    const item = this.#slots[index];
    this.#slots[index] = undefined;
    this.#size -= 1;
    return item;
  }

  #index(offset: number): number {
    return (this.#head + offset) % this.#slots.length;
  }

  #grow(): void {
    const items = Array.from({ length: this.#size }, (_, offset) => this.#slots[this.#index(offset)]);
    this.#slots = [...items, ...new Array<T | undefined>(Math.max(8, items.length))];
    this.#head = 0;
  }
}
