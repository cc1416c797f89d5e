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

/**
 * Collects a transaction's reads. Overlapping or touching ranges are merged when asked for. A transaction near its limit of
 * reads asks at each query, so merging takes time for new ranges only.
 */
export class RecordedReads implements ReadSet {
  /** Those that are not merged yet. */
  #recorded: KeyRange[] = [];
  #merged: Map<string, KeyRange[]> | null = null;

  get ranges(): Iterable<KeyRange> {
    return [...this.merged().values()].flat();
  }

  get size(): number {
    let size = 0;
    for (const ranges of this.merged().values()) size += ranges.length;
    return size;
  }

  recordPoint(table: string, index: string, key: Key): void {
    this.#recorded.push({ table, index, lower: key, upper: successor(key) });
  }

  recordScan(range: KeyRange, order: ScanOrder): ConsumedRange {
    const { table, index, lower, upper } = range;
    let list: KeyRange[] | null = null;
    let slot = 0;
    const consume = (consumed: KeyRange): void => {
      if (list !== this.#recorded) {
        list = this.#recorded;
        slot = list.length;
      }
      list[slot] = consumed;
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
    const recorded = this.#recorded;
    if (this.#merged === null) this.#merged = mergeRanges(recorded);
    else for (const range of recorded) addRange(this.#merged, range);
    if (recorded.length > 0) this.#recorded = [];
    return this.#merged;
  }
}

export function mergedRanges(readSet: ReadSet): MergedRanges {
  return readSet instanceof RecordedReads ? readSet.merged() : mergeRanges(readSet.ranges);
}

function mergeRanges(ranges: Iterable<KeyRange>): Map<string, KeyRange[]> {
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

/** Adds a range to merged ones. It takes in those that it overlaps or touches. */
function addRange(merged: Map<string, KeyRange[]>, range: KeyRange): void {
  const { lower, upper } = range;
  if (!isBelow(lower, upper)) return;
  const name = qualify(range.table, range.index);
  const ranges = merged.get(name) ?? [];
  merged.set(name, ranges);
  const end = upper === null ? ranges.length : firstAbove(ranges, upper);
  let start = firstAbove(ranges, lower);
  const before = ranges[start - 1];
  if (before !== undefined && (before.upper === null || compareKeys(before.upper, lower) >= 0)) start -= 1;
  const [first = range, last = range] = [ranges[start], ranges[end - 1]];
  if (start >= end) ranges.splice(start, 0, range);
  else
    ranges.splice(start, end - start, {
      ...range,
      lower: compareKeys(first.lower, lower) < 0 ? first.lower : lower,
      upper: higherBound(last.upper, upper),
    });
}

/** The index of the first range that begins above a key. */
function firstAbove(ranges: readonly KeyRange[], key: Key): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((ranges[middle] as KeyRange).lower, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The range that a key falls into, or null. */
export function rangeAt(merged: MergedRanges, qualifiedIndex: string, key: Key): KeyRange | null {
  const ranges = merged.get(qualifiedIndex) ?? [];
  const candidate = ranges[firstAbove(ranges, key) - 1];
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
