import { GCProfiler } from "node:v8";

let profiler = startProfiler();
let totalMs = 0;
let readAt = performance.now();
// A profiler keeps some kilobytes of each collection until it is read, also while no function runs.
setInterval(() => collectedMs(0), 60_000).unref();

/**
 * The time that this thread has collected garbage since the module was loaded, in ms. To read it takes 5 µs.
 * @param mostAgeMs the total may be so old.
 */
export function collectedMs(mostAgeMs: number): number {
  if (performance.now() - readAt < mostAgeMs) return totalMs;
  for (const { cost } of profiler.stop().statistics) totalMs += cost / 1_000;
  profiler = startProfiler();
  readAt = performance.now();
  return totalMs;
}

/** Unlike a PerformanceObserver, a profiler also tells of collections in the present turn of the event loop. */
function startProfiler(): GCProfiler {
  const started = new GCProfiler();
  started.start();
  return started;
}
