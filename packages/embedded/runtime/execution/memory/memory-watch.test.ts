import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ExecutionTime } from "../execution-time.ts";
import { heap } from "./heap.fixture.ts";
import { unwatchMemory, watchMemory } from "./memory-watch.ts";

const mib = 1024 * 1024;
vi.mock(import("node:v8"), async (original) => {
  const { v8WithHeap } = await import("./heap.fixture.ts");
  const v8 = await original();
  return { ...v8WithHeap(v8), default: v8WithHeap(v8.default) };
});
vi.mock(import("./collect-garbage.ts"), async () => {
  const { collectFromHeap } = await import("./heap.fixture.ts");
  return { collectGarbage: collectFromHeap };
});

const actions: ExecutionTime[] = [];

function begin(shared = { kept: 0 }): ExecutionTime {
  const time = new ExecutionTime("unbroken", shared);
  actions.push(time);
  watchMemory(time);
  return time;
}

/** Lets the watch look once. */
function look(): void {
  vi.advanceTimersByTime(50);
}

// One clock for all: the watch waits a little after it has ended an action.
beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());
beforeEach(() => {
  Object.assign(heap, { used: 100 * mib, garbage: 0, collections: 0 });
});
afterEach(() => {
  for (const time of actions.splice(0)) unwatchMemory(time);
  vi.advanceTimersByTime(1_000);
});

// The first test: after one that has ended an action, the watch collects garbage anyway.
test("garbage ends no action, and is collected once for all actions", () => {
  const all = [begin(), begin(), begin()];
  look();
  Object.assign(heap, { used: 3_000 * mib, garbage: 2_900 * mib });
  look();
  expect(all.map(({ error }) => error)).toEqual([null, null, null]);
  expect(heap.collections).toBe(1);
});

test("an action whose code does not run is ended when it has filled the heap", () => {
  const action = begin();
  look();
  heap.used = 2_000 * mib;
  look();
  expect(action.error).toBe(null);
  heap.used = 3_000 * mib;
  look();
  expect(action.error?.message).toContain("ran out of memory");
});

test("the action that is known to keep much ends before one that only runs meanwhile", () => {
  const [other, greedy] = [begin(), begin({ kept: 500 * mib })];
  look();
  heap.used = 3_000 * mib;
  look();
  expect([other.error, greedy.error]).toEqual([
    null,
    expect.objectContaining({ name: "ExecutionLimitError" }),
  ]);
});

test("without measures, the action ends during which the heap grew fastest", () => {
  const old = begin();
  look();
  vi.advanceTimersByTime(60_000);
  const young = begin();
  look();
  heap.used = 3_000 * mib;
  look();
  expect([old.error, young.error]).toEqual([null, expect.objectContaining({ name: "ExecutionLimitError" })]);
});

test("an action that still has its memory after its end does not hide what others add", () => {
  const [greedy, other] = [begin({ kept: 500 * mib }), begin()];
  look();
  heap.used = 3_000 * mib;
  look();
  expect([greedy.error?.name, other.error]).toEqual(["ExecutionLimitError", null]);
  vi.advanceTimersByTime(1_000);
  expect(other.error?.message).toContain("ran out of memory");
});

test("garbage of an action that the watch has ended is collected by the watch only", () => {
  const action = begin();
  look();
  heap.used = 3_000 * mib;
  look();
  expect(action.error?.message).toContain("ran out of memory");
  const { collections } = heap;
  heap.used += 500 * mib;
  unwatchMemory(action);
  action.release();
  vi.advanceTimersByTime(1);
  expect(heap.collections).toBe(collections);
});

test("an action that began when the heap was full is not ended", () => {
  heap.used = 3_000 * mib;
  const action = begin();
  look();
  look();
  expect(action.error).toBe(null);
});
