import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { collectGarbage, collectNew, returnMemory } from "../runtime/execution/memory/collect-garbage.ts";

const everyMs = 2_000;
/** The share of the time in which the event loop worked. Below it, a pause of some tenths of a second delays hardly anybody. */
const idleBelow = 0.1;
const mostGrownBytes = 24 * 1024 ** 2;
/** Some of a burst is held for up to ten seconds: the timers that HTTP actions leave behind, and the source maps of errors. */
const looksBetween = 6;

/**
 * Decides when the heap is worth a collection: once after the start, whose garbage V8 would keep, after it has grown, and once
 * more when the rest of a burst is free, too.
 */
export class IdleCollections {
  #leastBytes = -Infinity;
  /** Looks until the collection that follows one which freed much; null without one. */
  #looksLeft: number | null = null;

  /** @param heapBytes what V8 holds of the system's memory. @param utilization of the event loop since the last look. */
  isDue(heapBytes: number, utilization: number): boolean {
    this.#leastBytes = Math.min(this.#leastBytes, heapBytes);
    if (this.#looksLeft !== null) this.#looksLeft = Math.max(0, this.#looksLeft - 1);
    const hasGrown = heapBytes - this.#leastBytes > mostGrownBytes;
    return utilization < idleBelow && (hasGrown || this.#looksLeft === 0);
  }

  /** Notes the heap's size before and after a collection: the rest is in use, for now. */
  collected(beforeBytes: number, afterBytes: number): void {
    this.#leastBytes = afterBytes;
    this.#looksLeft = beforeBytes - afterBytes > mostGrownBytes ? looksBetween : null;
  }
}

/**
 * Returns memory to the system when a burst is over. Each run has had a world of its own, and V8 may keep thousands of them, and
 * then the memory that they took, for as long as nothing is allocated.
 */
export function collectWhenIdle(): void {
  const collections = new IdleCollections();
  const heapBytes = (): number => {
    const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics();
    return heap + buffers;
  };
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const bytes = heapBytes();
    if (!collections.isDue(bytes, utilization)) return;
    returnMemory();
    collections.collected(bytes, heapBytes());
    // The next look does not count the collection as work.
    before = performance.eventLoopUtilization();
  }, everyMs);
  timer.unref();
}

/** The short collections in between also keep the young generation from filling, which would stay in memory. */
const someBlobGarbage = 2 * 1024 ** 2;
const mostBlobGarbage = 8 * 1024 ** 2;

/**
 * Returns a function that collects the Blobs that nobody uses anymore, once they may have this much memory. Call it
 * before a Blob is made or stored. V8 does not count the bytes of a Blob, so it would keep many large ones until the heap itself has
 * grown. Most are new enough for the short collection.
 */
export function blobCollection(): () => void {
  let inUse = Infinity;
  let leastSince = Infinity;
  return () => {
    const bytes = process.memoryUsage().arrayBuffers;
    [inUse, leastSince] = [Math.min(inUse, bytes), Math.min(leastSince, bytes)];
    if (bytes - leastSince < someBlobGarbage) return;
    collectNew();
    leastSince = process.memoryUsage().arrayBuffers;
    if (leastSince - inUse < mostBlobGarbage) return;
    collectGarbage();
    inUse = leastSince = process.memoryUsage().arrayBuffers;
  };
}
