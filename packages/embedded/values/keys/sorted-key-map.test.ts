import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedKeyMap } from "./sorted-key-map.ts";

const key = fc.uint8Array({ maxLength: 2, max: 3 });
const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

test("a sorted key map behaves like a sorted list of each key's last value, without deleted keys", () => {
  const entry = fc.tuple(key, fc.option(fc.integer()));
  fc.assert(
    fc.property(fc.array(entry), key, fc.option(key), (entries, lower, upper) => {
      const map = new SortedKeyMap<number>();
      const last = new Map<string, { key: Uint8Array; value: number }>();
      for (const [each, value] of entries) {
        const name = Buffer.from(each).toString("hex");
        if (value === null) {
          map.delete(each);
          last.delete(name);
        } else {
          map.set(each, value);
          last.set(name, { key: each, value });
        }
      }
      const naive = [...last.values()]
        .filter((each) => compare(each.key, lower) >= 0 && (upper === null || compare(each.key, upper) < 0))
        .sort((a, b) => compare(a.key, b.key));
      expect(map.between(lower, upper)).toEqual(naive);
      expect(map.first(lower, upper)).toEqual(naive[0]);
      expect(map.last(lower, upper)).toEqual(naive.at(-1));
      expect(map.size).toBe(last.size);
      expect(map.get(lower)?.value).toBe(last.get(Buffer.from(lower).toString("hex"))?.value);
    }),
  );
});
