import { Counter, Histogram, Registry } from "prom-client";
import { refusalReasons, type Refusals } from "../admission/refusals.ts";
import type { EngineStats } from "../engine/model/types.ts";
import type { FunctionObserver, FunctionRun } from "../runtime/execution/function-run.ts";
import type { FunctionStats } from "../runtime/run/conflict-stats.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { counterOf, gaugeOf } from "./readings.ts";

/** Sources to read when the metrics are requested. */
type MetricSources = {
  readonly engine: () => EngineStats;
  readonly conflicts: () => { readonly [identifier: string]: FunctionStats };
  readonly webSockets: () => number;
  readonly liveQueries: () => number;
  readonly scheduledPending: () => number;
  readonly storageBytes: () => number;
  readonly dataFileBytes: () => Promise<number>;
  readonly walBytes: () => Promise<number>;
  /** Memory that is kept for clients without a verified identity. */
  readonly anonymousBytes: () => number;
  readonly refusals: Refusals;
};

export type Metrics = {
  readonly observer: Pick<FunctionObserver, "onEnd">;
  readonly onDroppedClient: () => void;
  readonly onLiveQueryRun: () => void;
  /** Prometheus' text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
  readonly stop: () => void;
};

/** Most values of one label; further ones become "(other)". */
const maxFunctions = 500;
const maxIndexes = 500;
const durationBucketsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Creates the metrics of one backend, in a separate registry. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const stop = addProcessMetrics(registry);
  const runs = functionMetrics(registry);
  const dropped = counter(
    registry,
    "convex_embedded_dropped_clients_total",
    "Clients disconnected because they did not read.",
  );
  const liveRuns = counter(registry, "convex_embedded_live_query_runs_total", "Runs of watched queries.");
  addReadings(registry, sources);
  addRefusals(registry, sources.refusals);
  addConflicts(registry, sources.conflicts);
  return {
    observer: { onEnd: runs },
    onDroppedClient: () => dropped.inc(),
    onLiveQueryRun: () => liveRuns.inc(),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    stop,
  };
}

function functionMetrics(registry: Registry): (run: FunctionRun) => void {
  const functions = new BoundedLabels(maxFunctions);
  const runs = new Counter({
    name: "convex_embedded_function_runs_total",
    help: "Runs of functions, by outcome.",
    labelNames: ["function", "kind", "outcome"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "convex_embedded_function_duration_seconds",
    help: "Duration of functions, with their commits and retries.",
    labelNames: ["function", "kind"],
    buckets: durationBucketsS,
    registers: [registry],
  });
  return ({ identifier, kind, failure, durationMs }) => {
    const name = identifier === null ? "(not found)" : functions.of(identifier);
    runs.inc({ function: name, kind, outcome: failure === null ? "success" : "failure" });
    seconds.observe({ function: name, kind }, durationMs / 1000);
  };
}

function addReadings(registry: Registry, sources: MetricSources): void {
  const { engine } = sources;
  const counted = (name: string, help: string, read: () => number): void =>
    counterOf(registry, name, help, read);
  const measured = (name: string, help: string, read: () => number | Promise<number>): void =>
    gaugeOf(registry, name, help, read);
  counted("convex_embedded_commits_total", "Commits with writes.", () => engine().commits);
  counted(
    "convex_embedded_flushes_total",
    "Flushes, each of which puts one or more commits on disk.",
    () => engine().flushes,
  );
  counted(
    "convex_embedded_commit_conflicts_total",
    "Commits refused because of a conflict.",
    () => engine().conflicts,
  );
  measured("convex_embedded_subscriptions", "Read sets with a subscriber.", () => engine().subscriptions);
  measured("convex_embedded_websocket_connections", "Open WebSockets.", sources.webSockets);
  measured(
    "convex_embedded_anonymous_bytes",
    "Memory kept for clients without a verified identity: arguments, and messages that have arrived in part.",
    sources.anonymousBytes,
  );
  measured("convex_embedded_live_queries", "Distinct queries that clients watch.", sources.liveQueries);
  measured(
    "convex_embedded_scheduled_pending",
    "Pending scheduled functions and cron runs.",
    sources.scheduledPending,
  );
  measured("convex_embedded_storage_bytes", "Bytes of stored files.", sources.storageBytes);
  measured(
    "convex_embedded_clock_ahead_seconds",
    "How far functions' time is ahead of the machine's clock, which has gone back.",
    () => engine().clockAheadMs / 1_000,
  );
  measured("convex_embedded_data_file_bytes", "Size of the data file.", sources.dataFileBytes);
  measured("convex_embedded_wal_bytes", "Size of its write-ahead log.", sources.walBytes);
}

function addRefusals(registry: Registry, refusals: Refusals): void {
  const refused: Counter = new Counter({
    name: "convex_embedded_refusals_total",
    help: "Refusals to clients without a verified identity, by reason.",
    labelNames: ["reason"],
    registers: [registry],
    collect: () => {
      refused.reset();
      for (const reason of refusalReasons) refused.inc({ reason }, refusals.of(reason));
    },
  });
}

function addConflicts(registry: Registry, conflicts: MetricSources["conflicts"]): void {
  const functions = new BoundedLabels(maxFunctions);
  const indexes = new BoundedLabels(maxIndexes);
  const lost: Counter = new Counter({
    name: "convex_embedded_mutation_conflicts_total",
    help: "Conflicts of mutations, by the index (table.index) of the read that another commit changed.",
    labelNames: ["function", "index"],
    registers: [registry],
    // The statistics hold the counts. This metric is collected first and updates the other two.
    collect: () => {
      for (const each of [retries, exhausted, lost]) each.reset();
      for (const [identifier, stats] of Object.entries(conflicts())) {
        const name = functions.of(identifier);
        if (stats.conflicts === 0) continue;
        retries.inc({ function: name }, stats.retries);
        exhausted.inc({ function: name }, stats.exhausted);
        for (const [index, count] of Object.entries(stats.collisions)) {
          lost.inc({ function: name, index: indexes.of(index) }, count);
        }
      }
    },
  });
  const retries = new Counter({
    name: "convex_embedded_mutation_retries_total",
    help: "Retries of mutations after a conflict.",
    labelNames: ["function"],
    registers: [registry],
  });
  const exhausted = new Counter({
    name: "convex_embedded_mutation_retries_exhausted_total",
    help: "Mutations that failed because every attempt conflicted.",
    labelNames: ["function"],
    registers: [registry],
  });
}

function counter(registry: Registry, name: string, help: string): Counter {
  return new Counter({ name, help, registers: [registry] });
}

const other = "(other)";

/** Bounds the number of values of a label, since each makes a time series in the collector. Keeps the first ones. */
class BoundedLabels {
  readonly #limit: number;
  readonly #known = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#limit) return other;
    this.#known.add(value);
    return value;
  }
}
