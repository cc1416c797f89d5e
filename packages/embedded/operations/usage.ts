import type { FunctionCaller, FunctionKind, FunctionRun } from "../runtime/execution/function-run.ts";

/** What has been asked of one function by one kind of caller since the process started. */
export type FunctionUsage = {
  /** "" is the app. */
  readonly component: string;
  /** "module.js:name"; "(not found)" stands for all that there are not. */
  readonly function: string;
  readonly kind: FunctionKind;
  readonly caller: FunctionCaller;
  /** Of a query: those of watchers, too, the first and each that a commit caused. */
  readonly runs: number;
  readonly failures: number;
  /** Times that a run was begun again since it had lost a race. */
  readonly retries: number;
};

type Counts = { -readonly [Name in keyof FunctionUsage]: FunctionUsage[Name] };

/** Counts runs of functions as a bill would: by function and by who asked. A function that calls another is one run. */
export class Usage {
  readonly #functions = new Map<string, Counts>();

  ended({ component, identifier, kind, caller, failure, retries }: FunctionRun): void {
    const name = identifier ?? "(not found)";
    // A component's name of one that is not there comes from outside.
    const owner = identifier === null ? "" : component;
    const key = JSON.stringify([owner, name, kind, caller]);
    let counts = this.#functions.get(key);
    if (counts === undefined) {
      counts = { component: owner, function: name, kind, caller, runs: 0, failures: 0, retries: 0 };
      this.#functions.set(key, counts);
    }
    counts.runs += 1;
    counts.retries += retries;
    if (failure !== null) counts.failures += 1;
  }

  snapshot(): readonly FunctionUsage[] {
    return [...this.#functions.values()].map((counts) => ({ ...counts }));
  }
}
