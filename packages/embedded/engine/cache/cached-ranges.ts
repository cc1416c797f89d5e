import { compareKeys, higherBound, type Key } from "../../values/keys/key.ts";
import type { ScanOrder } from "../model/types.ts";
import type { IndexedId } from "../store/index-ranges.ts";

/** Part of an index: all its entries with lower <= key < upper. */
type Piece = {
  readonly lower: Key;
  readonly upper: Key | null;
  readonly entries: IndexedId[];
};

/** The parts of one index that were read, kept up to date with writes. */
export class CachedRanges {
  /** Sorted. No two overlap or touch. */
  readonly #pieces: Piece[] = [];
  #size = 0;

  /** Number of entries and parts. */
  get size(): number {
    return this.#size;
  }

  /** At most `limit` entries of a non-empty range, in a scan's order; null when some are not cached. */
  scan(lower: Key, upper: Key | null, order: ScanOrder, limit: number): readonly IndexedId[] | null {
    return order === "asc" ? this.#scanUp(lower, upper, limit) : this.#scanDown(lower, upper, limit);
  }

  /** Stores all the entries that the index has in a non-empty range. */
  learn(lower: Key, upper: Key | null, entries: readonly IndexedId[]): void {
    const pieces = this.#pieces;
    const from = firstWhere(pieces, (piece) => piece.upper === null || compareKeys(piece.upper, lower) >= 0);
    const to =
      upper === null ? pieces.length : firstWhere(pieces, (piece) => compareKeys(piece.lower, upper) > 0);
    const joined = pieces.slice(from, to);
    const [first, last] = [joined[0], joined.at(-1)];
    const before = first?.entries.slice(0, firstAtLeast(first.entries, lower)) ?? [];
    const after =
      last === undefined || upper === null ? [] : last.entries.slice(firstAtLeast(last.entries, upper));
    const piece = {
      lower: first !== undefined && compareKeys(first.lower, lower) < 0 ? first.lower : lower,
      upper: last === undefined ? upper : higherBound(last.upper, upper),
      entries: [...before, ...entries, ...after],
    };
    pieces.splice(from, joined.length, piece);
    this.#size += sizeOf(piece) - joined.reduce((sum, each) => sum + sizeOf(each), 0);
  }

  put(entry: IndexedId): void {
    const entries = this.#pieceAt(entry.key)?.entries;
    if (entries === undefined) return;
    entries.splice(firstAtLeast(entries, entry.key), 0, entry);
    this.#size += 1;
  }

  delete(key: Key): void {
    const entries = this.#pieceAt(key)?.entries;
    if (entries === undefined) return;
    const at = firstAtLeast(entries, key);
    const found = entries[at];
    if (found === undefined || compareKeys(found.key, key) !== 0) return;
    entries.splice(at, 1);
    this.#size -= 1;
  }

  #scanUp(lower: Key, upper: Key | null, limit: number): readonly IndexedId[] | null {
    const piece = this.#pieceAt(lower);
    if (piece === undefined) return null;
    const from = firstAtLeast(piece.entries, lower);
    const to = upper === null ? piece.entries.length : firstAtLeast(piece.entries, upper);
    if (to - from < limit && !reaches(piece.upper, upper)) return null;
    return piece.entries.slice(from, Math.min(to, from + limit));
  }

  #scanDown(lower: Key, upper: Key | null, limit: number): readonly IndexedId[] | null {
    const pieces = this.#pieces;
    const at =
      upper === null ? pieces.length : firstWhere(pieces, (each) => compareKeys(each.lower, upper) >= 0);
    const piece = pieces[at - 1];
    if (piece === undefined || !reaches(piece.upper, upper)) return null;
    const from = firstAtLeast(piece.entries, lower);
    const to = upper === null ? piece.entries.length : firstAtLeast(piece.entries, upper);
    if (to - from < limit && compareKeys(piece.lower, lower) > 0) return null;
    return piece.entries.slice(Math.max(from, to - limit), to).reverse();
  }

  #pieceAt(key: Key): Piece | undefined {
    const piece = this.#pieces[firstWhere(this.#pieces, (each) => compareKeys(each.lower, key) > 0) - 1];
    return piece !== undefined && (piece.upper === null || compareKeys(key, piece.upper) < 0)
      ? piece
      : undefined;
  }
}

function sizeOf({ entries }: Piece): number {
  return entries.length + 1;
}

function firstAtLeast(entries: readonly IndexedId[], key: Key): number {
  return firstWhere(entries, (entry) => compareKeys(entry.key, key) >= 0);
}

/** Binary search: the first index for which `holds` is true, or the list's length. Once true, it stays true. */
function firstWhere<T>(list: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function reaches(end: Key | null, upper: Key | null): boolean {
  return end === null || (upper !== null && compareKeys(end, upper) >= 0);
}
