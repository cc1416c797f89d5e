import fc from "fast-check";
import { expect, test } from "vitest";
import { compareKeys, type Key, keyFromBytes } from "./key.ts";
import { SortedKeyMap } from "./sorted-key-map.ts";

const key = fc.uint8Array({ maxLength: 2, max: 3 }).map(keyFromBytes);

test("a sorted key map behaves like a sorted list of each key's last value, without deleted keys", () => {
  const entry = fc.tuple(key, fc.option(fc.integer()));
  fc.assert(
    fc.property(fc.array(entry, { size: "large" }), key, fc.option(key), (entries, lower, upper) => {
      const map = new SortedKeyMap<number>(3);
      const last = new Map<Key, { key: Key; value: number }>();
      for (const [each, value] of entries) {
        if (value === null) {
          map.delete(each);
          last.delete(each);
        } else {
          map.set(each, value);
          last.set(each, { key: each, value });
        }
      }
      const naive = [...last.values()]
        .filter(
          (each) => compareKeys(each.key, lower) >= 0 && (upper === null || compareKeys(each.key, upper) < 0),
        )
        .sort((a, b) => compareKeys(a.key, b.key));
      expect(map.between(lower, upper)).toEqual(naive);
      expect(map.first(lower, upper)).toEqual(naive[0]);
      expect(map.last(lower, upper)).toEqual(naive.at(-1));
      expect(map.size).toBe(last.size);
      expect(map.get(lower)?.value).toBe(last.get(lower)?.value);
    }),
  );
});
