import { beforeEach, expect, test, vi } from "vitest";
import { ExecutionTime } from "./execution-time.ts";
import { heap } from "./memory/heap.fixture.ts";

const mib = 1024 * 1024;
vi.mock(import("node:v8"), async (original) => {
  const { v8WithHeap } = await import("./memory/heap.fixture.ts");
  const v8 = await original();
  return { ...v8WithHeap(v8), default: v8WithHeap(v8.default) };
});
vi.mock(import("./memory/collect-garbage.ts"), async () => {
  const { collectFromHeap } = await import("./memory/heap.fixture.ts");
  return { collectGarbage: collectFromHeap };
});

let time: ExecutionTime;

beforeEach(() => {
  Object.assign(heap, { used: 100 * mib, garbage: 0, collections: 0 });
  begin();
});

function begin(): void {
  time = new ExecutionTime("total");
  time.start();
  time.reserve({ buffers: 0, heap: 0 });
}

/** The execution adds to the heap. */
function add(bytes: number, garbage = 0): void {
  heap.used += bytes;
  heap.garbage += garbage;
  time.reserve({ buffers: 0, heap: 0 });
}

test("garbage of other executions ends no execution that keeps little", () => {
  heap.used = 3_000 * mib;
  heap.garbage = 2_800 * mib;
  begin();
  add(100 * mib, 100 * mib);
  expect(heap).toEqual({ used: 200 * mib, garbage: 0, collections: 1 });
});

test("an execution ends that keeps much while others fill the heap, and nothing is collected again for little", () => {
  heap.used = 2_900 * mib;
  begin();
  expect(() => {
    add(100 * mib);
  }).toThrow("JavaScript execution ran out of memory (maximum memory usage: 64 MB)");
  expect(heap.collections).toBe(1);
  begin();
  expect(() => {
    add(100 * mib);
  }).toThrow("ran out of memory");
  expect(heap.collections).toBe(1);

  // Once the heap has been emptied, garbage is collected again.
  heap.used = 100 * mib;
  begin();
  heap.garbage = 2_800 * mib;
  heap.used += heap.garbage;
  begin();
  add(100 * mib);
  expect(heap.collections).toBe(2);
});

test("the memory of an ended execution is free again when its turn is over", async () => {
  expect(() => {
    add(1_100 * mib, 1_100 * mib);
  }).toThrow("ran out of memory");
  await new Promise((resolve) => setImmediate(resolve));
  expect(heap.used).toBe(100 * mib);
});
