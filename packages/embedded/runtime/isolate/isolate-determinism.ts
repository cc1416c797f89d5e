import type vm from "node:vm";
import { type Execution, executions, isTransactional } from "../execution/execution.ts";
import { RandomStream } from "../execution/random-stream.ts";
import { seededRandom } from "./isolate-crypto.ts";
import { fixLocale } from "./isolate-locale.ts";
import { hideGarbageCollection } from "./isolate-weak.ts";
import { lazyGlobal } from "./lazy-global.ts";
import { createPerformance, type PerformanceGlobals } from "./performance/performance-timeline.ts";

/** The time and the random numbers that modules see while they are evaluated: the same in all runs, until the next push. */
export type LoadingState = { readonly time: number; readonly seed: Uint8Array };

/** Returns the time that the running function sees, in ms. In queries and mutations it is the transaction's time. */
export function functionClock(now: () => number, loading: LoadingState): () => number {
  return () => {
    const execution = executions.getStore();
    if (execution === undefined || execution.loading) return loading.time;
    return isTransactional(execution) ? execution.transaction.now : now();
  };
}

// Local time is UTC, as in Convex.
process.env["TZ"] = "UTC";

/**
 * Removes from a realm the sources of nondeterminism: functions must give the same results for the same
 * data and arguments.
 * @param functionNow the time that the running function sees
 * @param realmMadeAt the backend's time, in ms
 */
export function installDeterminism(
  global: vm.Context,
  functionNow: () => number,
  realmMadeAt: number,
  loading: LoadingState,
): void {
  const RealDate = global["Date"] as DateConstructor;
  const InnerDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [functionNow()] : args, newTarget) as object,
    apply: (target) => new target(functionNow()).toString(),
  });
  RealDate.now = functionNow;
  Object.defineProperty(RealDate.prototype, "constructor", { value: InnerDate });
  global["Date"] = InnerDate;
  const atLoading = new RandomStream(loading.seed);
  (global["Math"] as Math).random = () =>
    executions.getStore()?.loading === false
      ? (seededRandom()?.number() ?? Math.random())
      : atLoading.number();
  installPerformance(global, realmMadeAt);
  fixTemporal(global, functionNow);
  fixLocale(global, functionNow);
  hideGarbageCollection(global);
}

type Zoned = { readonly [method: string]: () => unknown };
type Temporal = {
  readonly Now: object;
  readonly Instant: {
    fromEpochMilliseconds: (ms: number) => { toZonedDateTimeISO: (timeZone: unknown) => Zoned };
  };
};

/** `Temporal` reads V8's clock, not `Date.now`. Node has it since version 26. */
function fixTemporal(global: vm.Context, now: () => number): void {
  const temporal = global["Temporal"] as Temporal | undefined;
  if (temporal === undefined) return;
  const instant = () => temporal.Instant.fromEpochMilliseconds(Math.floor(now()));
  const zonedDateTimeISO = (timeZone: unknown = "UTC") => instant().toZonedDateTimeISO(timeZone);
  Object.assign(temporal.Now, {
    instant,
    zonedDateTimeISO,
    plainDateTimeISO: (timeZone?: unknown) => zonedDateTimeISO(timeZone)["toPlainDateTime"]?.(),
    plainDateISO: (timeZone?: unknown) => zonedDateTimeISO(timeZone)["toPlainDate"]?.(),
    plainTimeISO: (timeZone?: unknown) => zonedDateTimeISO(timeZone)["toPlainTime"]?.(),
  });
}

/**
 * Installs `performance`, whose clock has a resolution of 0.1 ms. In queries and mutations it starts at the transaction's time:
 * the realm may be younger. It does not advance in queries.
 */
function installPerformance(global: vm.Context, realmMadeAt: number): void {
  const startedAt = performance.now();
  const started = new WeakMap<Execution, number>();
  const elapsed = (execution: Execution): number => {
    const now = performance.now();
    const since = started.get(execution) ?? now;
    started.set(execution, since);
    return now - since;
  };
  const now = (): number => {
    const execution = executions.getStore();
    if (execution === undefined || execution.kind === "query") return 0;
    const ms = isTransactional(execution) ? elapsed(execution) : performance.now() - startedAt;
    return Math.floor(ms * 10) / 10;
  };
  const timeOrigin = (): number => {
    const execution = executions.getStore();
    return execution !== undefined && !execution.loading && isTransactional(execution)
      ? execution.transaction.now
      : realmMadeAt;
  };
  let made: PerformanceGlobals | null = null;
  const make = () => (made ??= createPerformance({ now, timeOrigin, run: () => executions.getStore() }));
  for (const name of performanceGlobals) lazyGlobal(global, name, () => make()[name]);
}

const performanceGlobals = [
  "performance",
  "Performance",
  "PerformanceEntry",
  "PerformanceMark",
  "PerformanceMeasure",
] as const;
