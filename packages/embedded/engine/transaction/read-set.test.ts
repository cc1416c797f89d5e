import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareBytes, emptyKey } from "../../values/keys/bytes.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { rangeAt, RecordedReads } from "./read-set.ts";

const key = fc.uint8Array({ maxLength: 2, max: 4 });
const range = fc.record({
  table: fc.constantFrom("a", "b"),
  index: fc.constantFrom("by_id", "by_x"),
  lower: key,
  upper: fc.option(key),
});

function contains({ lower, upper }: KeyRange, at: Uint8Array): boolean {
  return compareBytes(lower, at) <= 0 && (upper === null || compareBytes(at, upper) < 0);
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
          expect(compareBytes((merged[i] as KeyRange).upper as Uint8Array, each.lower)).toBeLessThan(0);
        }
      }
    }),
  );
});

describe("a scan records the consumed part", () => {
  const whole: KeyRange = { table: "a", index: "by_x", lower: emptyKey, upper: null };
  const five = Uint8Array.of(5);

  test("a scan records nothing before its first step", () => {
    const reads = new RecordedReads();
    reads.recordScan(whole, "asc");
    expect(reads.size).toBe(0);
  });

  test("an ascending scan records from the start to its last key, inclusive", () => {
    const reads = new RecordedReads();
    const scan = reads.recordScan(whole, "asc");
    scan.reached(Uint8Array.of(2));
    scan.reached(five);
    expect([...reads.ranges]).toEqual([{ ...whole, upper: Uint8Array.of(5, 0) }]);
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
  for (let i = 0; i < 10; i++) reads.recordPoint("a", "by_id", Uint8Array.of(1));
  expect(reads.size).toBe(1);
});
