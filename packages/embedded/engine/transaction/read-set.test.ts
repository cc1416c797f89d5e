import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { compareKeys, emptyKey, type Key, keyFromBytes } from "../../values/keys/key.ts";
import { rangeAt, RecordedReads } from "./read-set.ts";

const key = fc.uint8Array({ maxLength: 2, max: 4 }).map(keyFromBytes);
const range = fc.record({
  table: fc.constantFrom("a", "b"),
  index: fc.constantFrom("by_id", "by_x"),
  lower: key,
  upper: fc.option(key),
});

function contains({ lower, upper }: KeyRange, at: Key): boolean {
  return compareKeys(lower, at) <= 0 && (upper === null || compareKeys(at, upper) < 0);
}

test("merged ranges contain the recorded keys, are disjoint and do not touch", () => {
  fc.assert(
    fc.property(fc.array(range), key, (ranges, at) => {
      const reads = new RecordedReads();
      for (const each of ranges) reads.recordScan(each, "asc").ended();
      for (const table of ["a", "b"]) {
        const mine = ranges.filter((each) => each.table === table && each.index === "by_x");
        const found = rangeAt(reads.merged(), `${table}.by_x`, at);
        expect(found !== null).toBe(mine.some((each) => contains(each, at)));
        if (found !== null) expect(contains(found, at)).toBe(true);
        const merged = [...reads.ranges].filter((each) => each.table === table && each.index === "by_x");
        for (const [i, each] of merged.slice(1).entries()) {
          expect(compareKeys((merged[i] as KeyRange).upper as Key, each.lower)).toBeLessThan(0);
        }
      }
    }),
  );
});

test("ranges that are merged one by one are the same as those that are merged at once", () => {
  fc.assert(
    fc.property(fc.array(range), (ranges) => {
      const [atOnce, oneByOne] = [new RecordedReads(), new RecordedReads()];
      const scans = ranges.map((each) => oneByOne.recordScan(each, "asc"));
      for (const each of ranges) atOnce.recordScan(each, "asc").ended();
      for (const [i, scan] of scans.entries()) {
        if (contains(ranges[i] as KeyRange, emptyKey)) scan.reached(emptyKey);
        oneByOne.merged();
        scan.ended();
        expect(oneByOne.size).toBeLessThanOrEqual(i + 1);
      }
      expect(oneByOne.merged()).toEqual(atOnce.merged());
    }),
  );
});

describe("a scan records the consumed part", () => {
  const whole: KeyRange = { table: "a", index: "by_x", lower: emptyKey, upper: null };
  const five = keyFromBytes(Uint8Array.of(5));

  test("a scan records nothing before its first step", () => {
    const reads = new RecordedReads();
    reads.recordScan(whole, "asc");
    expect(reads.size).toBe(0);
  });

  test("an ascending scan records from the start to its last key, inclusive", () => {
    const reads = new RecordedReads();
    const scan = reads.recordScan(whole, "asc");
    scan.reached(keyFromBytes(Uint8Array.of(2)));
    scan.reached(five);
    expect([...reads.ranges]).toEqual([{ ...whole, upper: keyFromBytes(Uint8Array.of(5, 0)) }]);
    scan.ended();
    expect([...reads.ranges]).toEqual([whole]);
  });

  test("a descending scan records from its last key to the end", () => {
    const reads = new RecordedReads();
    reads.recordScan(whole, "desc").reached(five);
    expect([...reads.ranges]).toEqual([{ ...whole, lower: five }]);
  });
});

test("reading a point twice records it once", () => {
  const reads = new RecordedReads();
  for (let i = 0; i < 10; i++) reads.recordPoint("a", "by_id", keyFromBytes(Uint8Array.of(1)));
  expect(reads.size).toBe(1);
});
