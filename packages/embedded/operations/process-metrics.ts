import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "prom-client";
import { counterOf, gaugeOf } from "./readings.ts";

const lagResolutionMs = 20;
const nsPerS = 1e9;

/**
 * Adds metrics of the process to a registry, under the names that dashboards expect. Returns a function that
 * stops the measuring.
 */
export function addProcessMetrics(registry: Registry): () => void {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  // The histogram counts the timer's own interval, and has no mean before its first reading.
  const late = (ns: number): number => Math.max(0, (ns || 0) / nsPerS - lagResolutionMs / 1000);
  const startedAt = Date.now() / 1000 - process.uptime();
  gaugeOf(
    registry,
    "process_start_time_seconds",
    "When the process started, since the epoch.",
    () => startedAt,
  );
  counterOf(registry, "process_cpu_seconds_total", "Processor time, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gaugeOf(registry, "process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gaugeOf(
    registry,
    "nodejs_heap_size_used_bytes",
    "JavaScript heap in use.",
    () => process.memoryUsage().heapUsed,
  );
  gaugeOf(registry, "nodejs_eventloop_lag_mean_seconds", "How late timers ran since the last scrape.", () =>
    late(lag.mean),
  );
  gaugeOf(registry, "nodejs_eventloop_lag_p99_seconds", "The same, 99th percentile.", () => {
    const value = late(lag.percentile(99));
    lag.reset();
    return value;
  });
  return () => lag.disable();
}
