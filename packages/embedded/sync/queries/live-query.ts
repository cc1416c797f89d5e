import type { JSONValue } from "convex/values";
import type { Engine, Timestamp } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { FunctionRunner, Identity } from "../../runtime/contract/function-runner.ts";
import { hasSameOutcome, type KnownResult } from "../protocol/known-result.ts";

export type QuerySpec = {
  readonly path: string;
  /** The function's component; absent for the app's functions. */
  readonly component?: ComponentPath;
  readonly args: JSONValue;
  readonly identity: Identity;
  /** Page ends chosen by an earlier run. This query keeps them. */
  readonly journal: string | null;
};

type CurrentResult = {
  readonly result: KnownResult;
  readonly ranAt: Timestamp;
  /** The first commit that wrote into the read set, or null. */
  invalidatedAt: Timestamp | null;
  readonly unsubscribe: () => void;
};

export type LiveQueryDeps = {
  readonly engine: Engine;
  readonly runner: Pick<FunctionRunner, "runQuery">;
  readonly nextRequestId: () => string;
};

/**
 * One watched query, run once for all its watchers. The result is kept until a commit writes into its read set.
 * Then the watchers are called, and the next `at` runs it again.
 */
export class LiveQuery {
  readonly #deps: LiveQueryDeps;
  readonly #watchers = new Set<() => void>();
  readonly spec: QuerySpec;
  #current: CurrentResult | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(deps: LiveQueryDeps, spec: QuerySpec) {
    this.#deps = deps;
    this.spec = spec;
  }

  watch(onInvalidated: () => void): () => void {
    // A new function each time: one connection may watch twice, and stop once.
    const watcher = (): void => {
      onInvalidated();
    };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  get watched(): boolean {
    return this.#watchers.size > 0;
  }

  /**
   * The result at `ts`: the current one if it is still valid there, else that of a new run at `ts`. Callers pass
   * timestamps that never decrease, and keep the snapshot of `ts` retained.
   */
  at(ts: Timestamp): Promise<KnownResult> {
    const current = this.currentAt(ts);
    if (current !== null) return Promise.resolve(current);
    const run = this.#tail.then(() => this.currentAt(ts) ?? this.#run(ts));
    this.#tail = run.catch(() => undefined);
    return run;
  }

  close(): void {
    this.#closed = true;
    this.#current?.unsubscribe();
    this.#current = null;
  }

  /** The result at `ts`, or null if it needs a run. */
  currentAt(ts: Timestamp): KnownResult | null {
    const current = this.#current;
    if (current === null || ts < current.ranAt) return null;
    return current.invalidatedAt === null || ts < current.invalidatedAt ? current.result : null;
  }

  async #run(ts: Timestamp): Promise<KnownResult> {
    const { runner, engine, nextRequestId } = this.#deps;
    const run = await runner.runQuery({ ...this.spec, ts, requestId: nextRequestId() });
    const fresh: KnownResult = { outcome: run.outcome, logLines: run.logLines, journal: run.journal };
    const before = this.#current;
    const result = before !== null && hasSameOutcome(before.result, fresh) ? before.result : fresh;
    if (this.#closed) return result;
    before?.unsubscribe();
    const current: CurrentResult = {
      result,
      ranAt: run.ts,
      invalidatedAt: null,
      unsubscribe: engine.subscribe(run.readSet, run.ts, (invalidatedAt) => {
        current.invalidatedAt = invalidatedAt;
        for (const onInvalidated of [...this.#watchers]) onInvalidated();
      }),
    };
    this.#current = current;
    if (engine.durable() > run.ts) await pendingCommitReports();
    return result;
  }
}

/** The engine reports commits between run and subscription asynchronously, but within this turn. */
function pendingCommitReports(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
