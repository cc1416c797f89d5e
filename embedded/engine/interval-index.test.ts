import fc from "fast-check";
import { expect, test } from "vitest";
import { compareBytes } from "../values/bytes.ts";
import { IntervalIndex, type Interval } from "./interval-index.ts";

const key = fc.uint8Array({ maxLength: 2, max: 4 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("add" as const), lower: key, upper: fc.option(key) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), position: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("visit" as const), key }) },
);

test("finds what a naive list finds, whatever was added and removed", () => {
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

test("does not look at intervals that are far from the key", () => {
  const index = new IntervalIndex<number>();
  for (let i = 0; i < 20_000; i++) index.add(bytes(i * 2), bytes(i * 2 + 1), i);
  const started = performance.now();
  for (let i = 0; i < 2_000; i++) expect(visited(index, bytes(i * 20))).toEqual([i * 10]);
  // 40 million comparisons if each query looked at each interval: seconds.
  expect(performance.now() - started).toBeLessThan(1_000);
});

function remove(index: IntervalIndex<number>, naive: Interval<number>[], position: number): void {
  const [removed] = naive.splice(position, 1);
  if (removed === undefined) return;
  index.remove(removed);
  index.remove(removed);
}

function visited(index: IntervalIndex<number>, at: Uint8Array): number[] {
  const values: number[] = [];
  index.visit(at, (value) => values.push(value));
  return values.sort((a, b) => a - b);
}

function containing(naive: readonly Interval<number>[], at: Uint8Array): number[] {
  return naive
    .filter(
      ({ lower, upper }) => compareBytes(lower, at) <= 0 && (upper === null || compareBytes(at, upper) < 0),
    )
    .map(({ value }) => value)
    .sort((a, b) => a - b);
}

function bytes(value: number): Uint8Array {
  return Uint8Array.of(value >> 16, (value >> 8) & 0xff, value & 0xff);
}
