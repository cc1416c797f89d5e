import type { KeyRange } from "../../values/keys/index-range.ts";
import { compareKeys, higherBound, isBelow, type Key, successor } from "../../values/keys/key.ts";
import { qualify } from "../model/catalog.ts";
import type { ReadSet, ScanOrder } from "../model/types.ts";

/** The consumed part of one scan. It grows in the scan's direction. */
export type ConsumedRange = {
  /** The scan has returned `key`. */
  reached(key: Key): void;
  /** The scan has ended. The rest of its range counts as read, too. */
  ended(): void;
};

/** By qualified index name: sorted, disjoint, none empty. */
export type MergedRanges = ReadonlyMap<string, readonly KeyRange[]>;

/** Collects a transaction's reads. Overlapping or touching ranges are merged when asked for. */
export class RecordedReads implements ReadSet {
  readonly #recorded: KeyRange[] = [];
  #merged: MergedRanges | null = null;

  get ranges(): Iterable<KeyRange> {
    return [...this.merged().values()].flat();
  }

  get size(): number {
    let size = 0;
    for (const ranges of this.merged().values()) size += ranges.length;
    return size;
  }

  recordPoint(table: string, index: string, key: Key): void {
    this.#merged = null;
    this.#recorded.push({ table, index, lower: key, upper: successor(key) });
  }

  recordScan(range: KeyRange, order: ScanOrder): ConsumedRange {
    const { table, index, lower, upper } = range;
    let slot: number | null = null;
    const consume = (consumed: KeyRange): void => {
      this.#merged = null;
      slot ??= this.#recorded.length;
      this.#recorded[slot] = consumed;
    };
    return {
      reached: (key) =>
        consume(
          order === "asc"
            ? { table, index, lower, upper: successor(key) }
            : { table, index, lower: key, upper },
        ),
      ended: () => consume(range),
    };
  }

  merged(): MergedRanges {
    this.#merged ??= mergeRanges(this.#recorded);
    return this.#merged;
  }
}

export function mergedRanges(readSet: ReadSet): MergedRanges {
  return readSet instanceof RecordedReads ? readSet.merged() : mergeRanges(readSet.ranges);
}

function mergeRanges(ranges: Iterable<KeyRange>): MergedRanges {
  const byIndex = new Map<string, KeyRange[]>();
  for (const range of ranges) {
    if (!isBelow(range.lower, range.upper)) continue;
    const name = qualify(range.table, range.index);
    const group = byIndex.get(name);
    if (group === undefined) byIndex.set(name, [range]);
    else group.push(range);
  }
  for (const [name, group] of byIndex) byIndex.set(name, mergeGroup(group));
  return byIndex;
}

/** The range that a key falls into, or null. */
export function rangeAt(merged: MergedRanges, qualifiedIndex: string, key: Key): KeyRange | null {
  const ranges = merged.get(qualifiedIndex) ?? [];
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((ranges[middle] as KeyRange).lower, key) <= 0) low = middle + 1;
    else high = middle;
  }
  const candidate = ranges[low - 1];
  return candidate !== undefined && isBelow(key, candidate.upper) ? candidate : null;
}

function mergeGroup(ranges: KeyRange[]): KeyRange[] {
  if (ranges.length === 1) return ranges;
  const merged: KeyRange[] = [];
  for (const range of ranges.sort((a, b) => compareKeys(a.lower, b.lower))) {
    const previous = merged.at(-1);
    if (previous === undefined || (previous.upper !== null && compareKeys(previous.upper, range.lower) < 0)) {
      merged.push(range);
    } else {
      merged[merged.length - 1] = { ...previous, upper: higherBound(previous.upper, range.upper) };
    }
  }
  return merged;
}
