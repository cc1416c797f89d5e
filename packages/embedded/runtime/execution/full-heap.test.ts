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
  Object.assign(heap, { used: 100 * mib, buffers: 0, garbage: 0, collections: 0 });
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
  expect(heap).toEqual({ used: 200 * mib, buffers: 0, garbage: 0, collections: 1 });
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

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("garbage is collected once when an execution is over that had too much, and not while it still has it", async () => {
  expect(() => {
    add(1_100 * mib);
  }).toThrow("ran out of memory");
  await nextTurn();
  expect(heap.collections).toBe(0);
  heap.garbage = 1_100 * mib;
  time.release();
  time.release();
  await nextTurn();
  expect(heap).toEqual({ ...heap, used: 100 * mib, collections: 1 });
});

test("garbage is also collected when an execution is over that had too many buffers", async () => {
  expect(() => {
    heap.buffers += 600 * mib;
    add(0);
  }).toThrow("ran out of memory");
  time.release();
  await nextTurn();
  expect(heap.collections).toBe(1);

  // A call that would have needed too much has added nothing.
  begin();
  expect(() => {
    time.reserve({ buffers: 600 * mib, heap: 0 });
  }).toThrow("ran out of memory");
  time.release();
  await nextTurn();
  expect(heap.collections).toBe(1);
});
