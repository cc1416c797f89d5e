import { compareKeys, isBelow, type Key } from "./key.ts";

export type KeyEntry<V> = { readonly key: Key; readonly value: V };

const defaultChunkLength = 1_024;

/** An ordered map over encoded keys, in sorted chunks. None is empty, except the only one of an empty map. */
export class SortedKeyMap<V> {
  readonly #chunks: KeyEntry<V>[][] = [[]];
  readonly #longestChunk: number;
  #size = 0;

  /** @param longestChunk a longer chunk is split, because inserting a key moves entries of its chunk. */
  constructor(longestChunk = defaultChunkLength) {
    this.#longestChunk = longestChunk;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): KeyEntry<V> | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)] as KeyEntry<V>[];
    const entry = chunk[firstAtLeast(chunk, key)];
    return entry !== undefined && compareKeys(entry.key, key) === 0 ? entry : undefined;
  }

  set(key: Key, value: V): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as KeyEntry<V>[];
    const position = firstAtLeast(chunk, key);
    const existing = chunk[position];
    const replaced = existing !== undefined && compareKeys(existing.key, key) === 0 ? 1 : 0;
    chunk.splice(position, replaced, { key, value });
    this.#size += 1 - replaced;
    if (chunk.length <= this.#longestChunk) return;
    // Keys often come in order, so a full last chunk stays nearly full.
    const isAppended = at === this.#chunks.length - 1 && position === chunk.length - 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(isAppended ? position : chunk.length >> 1));
  }

  /** Removes a key, if it is there. */
  delete(key: Key): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as KeyEntry<V>[];
    const position = firstAtLeast(chunk, key);
    const entry = chunk[position];
    if (entry === undefined || compareKeys(entry.key, key) !== 0) return;
    chunk.splice(position, 1);
    this.#size -= 1;
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
  }

  /** The entries with lower <= key < upper, ascending. */
  between(lower: Key, upper: Key | null): readonly KeyEntry<V>[] {
    const first = this.#chunkOf(lower);
    const last = upper === null ? this.#chunks.length - 1 : this.#chunkOf(upper);
    if (last < first) return [];
    const found = this.#chunks.slice(first, last + 1).map((chunk, at, { length }) => {
      const end = at < length - 1 || upper === null ? chunk.length : firstAtLeast(chunk, upper);
      return chunk.slice(at === 0 ? firstAtLeast(chunk, lower) : 0, end);
    });
    return found.length === 1 ? (found[0] as KeyEntry<V>[]) : found.flat();
  }

  first(lower: Key, upper: Key | null): KeyEntry<V> | undefined {
    const at = this.#chunkOf(lower);
    const chunk = this.#chunks[at] as KeyEntry<V>[];
    const entry = chunk[firstAtLeast(chunk, lower)] ?? this.#chunks[at + 1]?.[0];
    return entry !== undefined && isBelow(entry.key, upper) ? entry : undefined;
  }

  last(lower: Key, upper: Key | null): KeyEntry<V> | undefined {
    const at = upper === null ? this.#chunks.length - 1 : this.#chunkOf(upper);
    const chunk = this.#chunks[at] as KeyEntry<V>[];
    const end = upper === null ? chunk.length : firstAtLeast(chunk, upper);
    const entry = end > 0 ? chunk[end - 1] : this.#chunks[at - 1]?.at(-1);
    return entry !== undefined && compareKeys(entry.key, lower) >= 0 ? entry : undefined;
  }

  /** The place of the chunk that has the key, or would get it. */
  #chunkOf(key: Key): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = this.#chunks[middle]?.[0] as KeyEntry<V>;
      if (compareKeys(first.key, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function firstAtLeast(entries: readonly KeyEntry<unknown>[], key: Key): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((entries[middle] as KeyEntry<unknown>).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
