import { compareKeys, isBelow, type Key } from "./key.ts";

export type KeyEntry<V> = { readonly key: Key; readonly value: V };

/** An ordered map over encoded keys. A sorted array is enough for some thousand keys. */
export class SortedKeyMap<V> {
  readonly #entries: KeyEntry<V>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  get(key: Key): KeyEntry<V> | undefined {
    const entry = this.#entries[this.#firstAtLeast(key)];
    return entry !== undefined && compareKeys(entry.key, key) === 0 ? entry : undefined;
  }

  set(key: Key, value: V): void {
    const position = this.#firstAtLeast(key);
    const existing = this.#entries[position];
    const replaced = existing !== undefined && compareKeys(existing.key, key) === 0 ? 1 : 0;
    this.#entries.splice(position, replaced, { key, value });
  }

  /** Removes a key, if it is there. */
  delete(key: Key): void {
    const position = this.#firstAtLeast(key);
    const entry = this.#entries[position];
    if (entry !== undefined && compareKeys(entry.key, key) === 0) this.#entries.splice(position, 1);
  }

  /** The entries with lower <= key < upper, ascending. */
  between(lower: Key, upper: Key | null): readonly KeyEntry<V>[] {
    const end = upper === null ? this.#entries.length : this.#firstAtLeast(upper);
    return this.#entries.slice(this.#firstAtLeast(lower), end);
  }

  first(lower: Key, upper: Key | null): KeyEntry<V> | undefined {
    const entry = this.#entries[this.#firstAtLeast(lower)];
    return entry !== undefined && isBelow(entry.key, upper) ? entry : undefined;
  }

  last(lower: Key, upper: Key | null): KeyEntry<V> | undefined {
    const end = upper === null ? this.#entries.length : this.#firstAtLeast(upper);
    const entry = this.#entries[end - 1];
    return entry !== undefined && compareKeys(entry.key, lower) >= 0 ? entry : undefined;
  }

  #firstAtLeast(key: Key): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys((this.#entries[middle] as KeyEntry<V>).key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
