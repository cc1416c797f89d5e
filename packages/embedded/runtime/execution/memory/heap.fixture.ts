import type * as V8 from "node:v8";

const mib = 1024 * 1024;
/** The figures that V8 and its collector seem to have, in bytes. */
export const heap = { used: 0, buffers: 0, garbage: 0, collections: 0 };

/** Takes the place of node:v8. */
export function v8WithHeap(v8: typeof V8) {
  const getHeapStatistics = (): V8.HeapInfo => ({
    ...v8.getHeapStatistics(),
    heap_size_limit: 4_096 * mib,
    used_heap_size: heap.used,
    external_memory: heap.buffers,
  });
  return { ...v8, getHeapStatistics };
}

/** Takes the place of `collectGarbage`. */
export function collectFromHeap(): void {
  heap.collections += 1;
  heap.used -= heap.garbage;
  heap.garbage = 0;
}
