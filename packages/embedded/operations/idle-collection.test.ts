import { getHeapStatistics } from "node:v8";
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { returnMemory } from "../runtime/execution/memory/collect-garbage.ts";
import { blobCollection, IdleCollections } from "./idle-collection.ts";

const mib = 1024 ** 2;

describe("a collection while nothing happens", () => {
  test("is due once after the start, when the event loop is idle", () => {
    const collections = new IdleCollections();
    expect(collections.isDue(100 * mib, 0.5)).toBe(false);
    expect(collections.isDue(100 * mib, 0.01)).toBe(true);
    collections.collected(100 * mib, 80 * mib);
    expect(collections.isDue(80 * mib, 0.01)).toBe(false);
  });

  test("is due when the heap has grown by more than 24 MiB", () => {
    const collections = new IdleCollections();
    collections.collected(90 * mib, 90 * mib);
    expect(collections.isDue(80 * mib, 0.01)).toBe(false);
    expect(collections.isDue(500 * mib, 0.5)).toBe(false);
    expect(collections.isDue(104 * mib, 0.01)).toBe(false);
    expect(collections.isDue(105 * mib, 0.01)).toBe(true);
  });

  test("is not repeated for what is still in use", () => {
    const collections = new IdleCollections();
    collections.collected(80 * mib, 80 * mib);
    expect(collections.isDue(500 * mib, 0)).toBe(true);
    collections.collected(410 * mib, 400 * mib);
    expect(collections.isDue(400 * mib, 0)).toBe(false);
    expect(collections.isDue(90 * mib, 0)).toBe(false);
    expect(collections.isDue(160 * mib, 0)).toBe(true);
  });

  test("comes once more, some time after one that freed much", () => {
    const collections = new IdleCollections();
    collections.collected(160 * mib, 110 * mib);
    for (let look = 1; look < 6; look += 1) expect(collections.isDue(110 * mib, 0)).toBe(false);
    expect(collections.isDue(110 * mib, 0.5)).toBe(false);
    expect(collections.isDue(110 * mib, 0)).toBe(true);
    collections.collected(110 * mib, 90 * mib);
    for (let look = 0; look < 20; look += 1) expect(collections.isDue(90 * mib, 0)).toBe(false);
  });

  test("frees realms, and leaves no way to call it in new ones", async () => {
    const realms = (): number => getHeapStatistics().number_of_native_contexts;
    const before = realms();
    for (let n = 0; n < 50; n += 1) vm.createContext();
    expect(realms()).toBeGreaterThanOrEqual(before + 50);
    await new Promise((resolve) => setImmediate(resolve));
    returnMemory();
    expect(realms()).toBeLessThan(before + 10);
    expect(vm.runInNewContext("typeof gc")).toBe("undefined");
  });
});

test("Blobs that nobody uses are collected before many of them are in memory", () => {
  const collect = blobCollection();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let blobs = 0; blobs < 12; blobs += 1) {
    collect();
    new Blob([new Blob([Buffer.alloc(8 * mib)])]);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(64 * mib);
});
