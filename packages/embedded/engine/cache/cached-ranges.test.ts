import fc from "fast-check";
import { expect, test } from "vitest";
import { compareKeys, type Key, keyFromBytes, keyToBytes } from "../../values/keys/key.ts";
import type { IndexedId } from "../store/index-ranges.ts";
import { CachedRanges } from "./cached-ranges.ts";

const key = fc.uint8Array({ maxLength: 2, max: 3 }).map(keyFromBytes);
const range = fc
  .record({ lower: key, upper: fc.option(key) })
  .filter(({ lower, upper }) => upper === null || compareKeys(lower, upper) < 0);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("learn" as const), range }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("toggle" as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("scan" as const),
      range,
      order: fc.constantFrom("asc" as const, "desc" as const),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

type Range = { readonly lower: Key; readonly upper: Key | null };

function within(index: readonly IndexedId[], { lower, upper }: Range): IndexedId[] {
  return index.filter(
    (entry) => compareKeys(entry.key, lower) >= 0 && (upper === null || compareKeys(entry.key, upper) < 0),
  );
}

test("a cached range has the entries of the index, after any reads and writes", () => {
  let known = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const ranges = new CachedRanges();
      let index: IndexedId[] = [];
      for (const each of steps) {
        if (each.kind === "learn") {
          const { lower, upper } = each.range;
          ranges.learn(lower, upper, within(index, each.range));
          expect(ranges.scan(lower, upper, "asc", 1_000)).toEqual(within(index, each.range));
        } else if (each.kind === "toggle") {
          const others = index.filter((entry) => compareKeys(entry.key, each.key) !== 0);
          if (others.length < index.length) {
            index = others;
            ranges.delete(each.key);
          } else {
            const entry = { key: each.key, id: keyToBytes(each.key).join() };
            index = [...index, entry].sort((a, b) => compareKeys(a.key, b.key));
            ranges.put(entry);
          }
        } else {
          const { lower, upper } = each.range;
          const found = ranges.scan(lower, upper, each.order, each.limit);
          if (found === null) continue;
          known += 1;
          const all = within(index, each.range);
          if (each.order === "desc") all.reverse();
          expect(found).toEqual(all.slice(0, each.limit));
        }
      }
    }),
    { numRuns: 500 },
  );
  expect(known).toBeGreaterThan(1_000);
});

test("a range cached twice counts once, and its parts are cached too", () => {
  const ranges = new CachedRanges();
  const [a, b, c] = [1, 2, 3].map((byte) => keyFromBytes(Uint8Array.of(byte))) as [Key, Key, Key];
  const entry = { key: b, id: "b" };
  ranges.learn(a, c, [entry]);
  ranges.learn(a, c, [entry]);
  expect(ranges.size).toBe(2);
  expect(ranges.scan(b, c, "asc", 1)).toEqual([entry]);
  expect(ranges.scan(a, null, "asc", 2)).toBeNull();
  expect(ranges.scan(a, null, "asc", 1)).toEqual([entry]);
});
