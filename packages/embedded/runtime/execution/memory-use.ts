import { getHeapStatistics } from "node:v8";

const MIB = 1024 * 1024;

/** Generous, since others run in the same heap and what is garbage counts: what these end would end the process. */
const MAX_BUFFERS = 512 * MIB;
const MAX_HEAP = 1024 * MIB;

/** What the process has in use, in bytes. */
export type MemoryUse = { readonly buffers: number; readonly heap: number };

export function memoryUse(): MemoryUse {
  const { external_memory: buffers, used_heap_size: heap } = getHeapStatistics();
  return { buffers, heap };
}

/** Whether the process has taken so much that the code which has run meanwhile must end. */
export function hasOutgrown(before: MemoryUse): boolean {
  const { buffers, heap } = memoryUse();
  return buffers - before.buffers > MAX_BUFFERS || heap - before.heap > MAX_HEAP;
}
