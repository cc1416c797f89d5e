import { expect, test } from "vitest";
import { DocumentCache } from "./document-cache.ts";

const document = (n: number) => ({ _id: String(n) });

test("a full cache keeps used documents and drops unused ones", () => {
  const cache = new DocumentCache(100);
  cache.set("used", document(1), 10);
  cache.set("unused", document(2), 10);
  for (let n = 0; n < 100; n++) {
    cache.set(`other ${String(n)}`, document(n), 10);
    expect(cache.get("used")).toEqual(document(1));
  }
  expect(cache.get("unused")).toBeUndefined();
  expect(cache.get("other 99")).toEqual(document(99));
});

test("the cache returns the last value set, and nothing deleted", () => {
  const cache = new DocumentCache(25);
  cache.set("a", document(1), 10);
  cache.set("b", document(2), 10);
  cache.set("c", document(3), 10);
  cache.set("a", document(4), 10);
  expect(cache.get("a")).toEqual(document(4));
  cache.delete("a");
  expect(cache.get("a")).toBeUndefined();
  cache.clear();
  expect(cache.get("b")).toBeUndefined();
});
