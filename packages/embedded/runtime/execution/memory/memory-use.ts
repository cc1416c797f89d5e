import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "./collect-garbage.ts";

const mib = 1024 * 1024;

/** V8's limit includes at most so much for young objects. */
const youngHeap = 192 * mib;

/**
 * From a share of the old generation, functions end that have added more bytes than this: first those that keep much. V8 ends the
 * process well before all of it is used.
 */
const heapLimits = [
  { share: 0.6, kept: 256 * mib },
  { share: 0.7, kept: 32 * mib },
  { share: 0.8, kept: 4 * mib },
];

/** The memory that the kernel lets the process have. Without a limit of its own, Node answers 0 or more than there is. */
const machineMemory = Math.min(process.constrainedMemory() || Infinity, totalmem());
/** On a large machine other programs need memory, too. */
const largeProcess = 4096 * mib;
/**
 * Memory outside the heap: V8 does not limit it, and the kernel ends a process that has too much. From so many bytes of the process,
 * actions end during which it has grown by more than this.
 */
const machineLimits = [
  { resident: Math.min(0.5 * machineMemory, largeProcess), grown: 1024 * mib },
  { resident: 0.8 * machineMemory, grown: 128 * mib },
];

/** Reading the memory of the process takes longer than a turn may take, so it is read once in this time, in ms. */
const residentEveryMs = 20;

/** Convex's words. */
export const outOfMemory = "JavaScript execution ran out of memory (maximum memory usage: 64 MB)";

/** Memory that a call needs, in bytes. */
export type Need = { readonly buffers: number; readonly heap: number };

/**
 * Memory use of the process, in bytes. `resident` is all of it; it also contains Blobs, which V8 does not count. `share` is that
 * of the old generation.
 */
export type MemoryUse = Need & { readonly resident: number; readonly share: number };

/** By how much the process has grown, in bytes: the heap, and all else. */
export type Growth = { readonly heap: number; readonly outside: number };

/** The least memory since the last collection that a function has caused, in bytes. */
const least = { buffers: 0, heap: 0, resident: 0 };

export function memoryUse(): MemoryUse {
  const { external_memory: buffers, used_heap_size: heap, heap_size_limit: most } = getHeapStatistics();
  const now = { buffers, heap, resident: residentMemory() };
  least.buffers = Math.min(least.buffers, buffers);
  least.heap = Math.min(least.heap, heap);
  least.resident = Math.min(least.resident, now.resident);
  return { ...now, share: heap / (most - youngHeap) };
}

let resident = 0;
let residentAt = -Infinity;

function residentMemory(): number {
  const at = performance.now();
  if (at - residentAt < residentEveryMs) return resident;
  residentAt = at;
  resident = process.memoryUsage.rss();
  return resident;
}

export function growth(from: MemoryUse, to: MemoryUse): Growth {
  return {
    heap: to.heap - from.heap,
    outside: Math.max(to.buffers - from.buffers, to.resident - from.resident),
  };
}

/** Whether an execution may have to end because the process has so much memory. */
export function isTight({ share, resident: all }: MemoryUse): boolean {
  return (
    heapLimits.some((limit) => share > limit.share) || machineLimits.some((limit) => all > limit.resident)
  );
}

/** Whether the process has so much memory that an action must end, during which it has grown so much. */
export function isMachineFull({ resident: all }: MemoryUse, { outside }: Growth): boolean {
  return machineLimits.some((limit) => all > limit.resident && outside > limit.grown);
}

/**
 * Whether the heap is so full that an execution must end that has kept so many bytes. Garbage of other executions may have filled
 * it, so garbage is collected first, unless little was added since the last time.
 */
export function isHeapFull(now: MemoryUse, kept: number): boolean {
  return keepsTooMuch(now, kept) && keepsTooMuch(withoutGarbage(now), kept);
}

/** The same, but garbage counts. */
export function keepsTooMuch({ share }: MemoryUse, kept: number): boolean {
  return heapLimits.some((limit) => share > limit.share && kept > limit.kept);
}

/** Collects garbage, unless little was added since the last time. */
export function withoutGarbage(now: MemoryUse): MemoryUse {
  return now.heap - least.heap < youngHeap ? now : afterCollection();
}

/** Collects all garbage. */
export function afterCollection(): MemoryUse {
  collectGarbage();
  residentAt = -Infinity;
  const left = memoryUse();
  least.buffers = left.buffers;
  least.heap = left.heap;
  least.resident = left.resident;
  return left;
}

let isCollectionDue = false;

/**
 * Collects garbage when the jobs of this turn have run, unless little was added since the last time, also outside the heap. Call it
 * when nothing keeps a function anymore that was ended for its memory: V8 has seen a large heap, and would let it grow as much again
 * first.
 */
export function collectSoon(): void {
  if (isCollectionDue) return;
  isCollectionDue = true;
  setImmediate(() => {
    isCollectionDue = false;
    const now = memoryUse();
    const added = Math.max(now.buffers - least.buffers, now.heap - least.heap, now.resident - least.resident);
    if (added >= youngHeap) afterCollection();
  });
}

/** The use without what has grown. */
export function without(now: MemoryUse, { heap, outside }: Growth): MemoryUse {
  const left = Math.max(0, now.heap - heap);
  const buffers = Math.max(0, now.buffers - outside);
  return {
    heap: left,
    buffers,
    resident: now.resident - outside - heap,
    share: now.share * (left / now.heap),
  };
}
