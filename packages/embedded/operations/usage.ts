import type { FunctionCaller, FunctionKind, FunctionRun } from "../runtime/execution/function-run.ts";

/** Use of one function by one kind of caller since the process started. */
type FunctionUsage = {
  /** "" is the app. */
  readonly component: string;
  /** "module.js:name"; "(not found)" for all functions that do not exist. */
  readonly function: string;
  readonly kind: FunctionKind;
  readonly caller: FunctionCaller;
  /** For a query this includes subscriptions: their first runs and the reruns that commits cause. */
  readonly runs: number;
  readonly failures: number;
  /** Number of retries after conflicts. */
  readonly retries: number;
  /** The most documents that a run of a query has read; 0 for other functions. */
  readonly documentsReadMax: number;
};

type Counts = { -readonly [Name in keyof FunctionUsage]: FunctionUsage[Name] };

const nothing = { runs: 0, failures: 0, retries: 0, documentsReadMax: 0 };

/** Counts runs as a bill would, by function and caller. Nested calls do not count as runs. */
export class Usage {
  readonly #functions = new Map<string, Counts>();
  #running = 0;

  /** Number of runs that have not ended. An HTTP action ends with its response, and the body may follow. */
  get running(): number {
    return this.#running;
  }

  started(): void {
    this.#running += 1;
  }

  ended({ component, identifier, kind, caller, failure, retries, documentsRead }: FunctionRun): void {
    this.#running -= 1;
    const name = identifier ?? "(not found)";
    // If the function does not exist, the component's name comes from the client and is not trusted.
    const owner = identifier === null ? "" : component;
    const key = JSON.stringify([owner, name, kind, caller]);
    let counts = this.#functions.get(key);
    if (counts === undefined) {
      counts = { component: owner, function: name, kind, caller, ...nothing };
      this.#functions.set(key, counts);
    }
    counts.runs += 1;
    counts.retries += retries;
    counts.documentsReadMax = Math.max(counts.documentsReadMax, documentsRead ?? 0);
    if (failure !== null) counts.failures += 1;
  }

  snapshot(): readonly FunctionUsage[] {
    return [...this.#functions.values()].map((counts) => ({ ...counts }));
  }
}
