import fc from "fast-check";
import { expect, test } from "vitest";
import { compareKeys, type Key, keyFromBytes } from "../../values/keys/key.ts";
import { type Interval, IntervalIndex } from "./interval-index.ts";

const key = fc.uint8Array({ maxLength: 2, max: 4 }).map(keyFromBytes);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("add" as const), lower: key, upper: fc.option(key) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), position: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("visit" as const), key }) },
);

test("the index finds the same intervals as a plain list, after any additions and removals", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const index = new IntervalIndex<number>();
      const naive: Interval<number>[] = [];
      for (const [value, each] of steps.entries()) {
        if (each.kind === "add") naive.push(index.add(each.lower, each.upper, value));
        else if (each.kind === "remove") remove(index, naive, each.position);
        else expect(visited(index, each.key)).toEqual(containing(naive, each.key));
      }
      expect(index.size).toBe(naive.length);
    }),
    { numRuns: 500 },
  );
});

test.each([1_000, 100_000])("a lookup among %d intervals visits only a few", (count) => {
  const index = new IntervalIndex<number>();
  for (let i = 0; i < count; i++) index.add(bytes(i * 2), bytes(i * 2 + 1), i);
  let most = 0;
  for (let i = 0; i < count; i += count / 1_000) {
    const found: number[] = [];
    most = Math.max(
      most,
      index.visit(bytes(i * 2), (value) => found.push(value)),
    );
    expect(found).toEqual([i]);
  }
  // A path in a treap of 100,000 nodes has about 40 nodes, and hardly ever twice that.
  expect(most).toBeLessThan(150);
});

function remove(index: IntervalIndex<number>, naive: Interval<number>[], position: number): void {
  const [removed] = naive.splice(position, 1);
  if (removed === undefined) return;
  index.remove(removed);
  index.remove(removed);
}

function visited(index: IntervalIndex<number>, at: Key): number[] {
  const values: number[] = [];
  index.visit(at, (value) => values.push(value));
  return values.sort((a, b) => a - b);
}

function containing(naive: readonly Interval<number>[], at: Key): number[] {
  return naive
    .filter(
      ({ lower, upper }) => compareKeys(lower, at) <= 0 && (upper === null || compareKeys(at, upper) < 0),
    )
    .map(({ value }) => value)
    .sort((a, b) => a - b);
}

function bytes(value: number): Key {
  return keyFromBytes(Uint8Array.of(value >> 16, (value >> 8) & 0xff, value & 0xff));
}
