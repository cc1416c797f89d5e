import type { ComponentPath } from "../../names/table-name.ts";
import type { FunctionFailure, FunctionResult } from "./function-failure.ts";

export type FunctionKind = "Query" | "Mutation" | "Action" | "HttpAction";

/** The cause of a run: a client (HTTP or WebSocket), the scheduler (including crons), or an action. */
export type FunctionCaller = "Client" | "Scheduler" | "Action";

/** A finished run of a function, as reported to logs, metrics and usage. */
export type FunctionRun = {
  readonly requestId: string;
  /** The component that has the function; "" is the app. */
  readonly component: ComponentPath;
  /** "module.js:name", or an HTTP action's method and route; null if the function does not exist. */
  readonly identifier: string | null;
  readonly kind: FunctionKind;
  readonly caller: FunctionCaller;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null if it returned a value. */
  readonly failure: FunctionFailure | null;
  readonly logLines: readonly string[];
  /** Number of retries after conflicts with other commits. */
  readonly retries: number;
  /** Documents that a query read, with those of the queries that it called. Null for other functions. */
  readonly documentsRead: number | null;
};

/** Identifies a run that has not ended. */
export type NamedRun = Pick<FunctionRun, "requestId" | "component" | "identifier" | "kind">;

/** Receives the events of the runtime. Must not throw. */
export type FunctionObserver = {
  /** Each run that has started also ends. */
  readonly onStart: () => void;
  readonly onEnd: (run: FunctionRun) => void;
  /** Called with each log line of an HTTP action, which may log long after it has answered. */
  readonly onLine: (run: NamedRun, line: string) => void;
};

export const unobserved: FunctionObserver = {
  onStart: () => undefined,
  onEnd: () => undefined,
  onLine: () => undefined,
};

/** Counts of a run that only some kinds of functions have. */
export type RunCounts = Partial<Pick<FunctionRun, "retries" | "documentsRead">>;

/** Starts timing a run. Call the returned function when the run has ended. */
export function timedRun(
  observer: FunctionObserver,
  start: NamedRun & Pick<FunctionRun, "caller">,
): (end: Pick<FunctionRun, "logLines"> & RunCounts & { readonly result: FunctionResult }) => void {
  observer.onStart();
  const startedAt = Date.now();
  const from = performance.now();
  return ({ result, logLines, retries = 0, documentsRead = null }) =>
    observer.onEnd({
      ...start,
      startedAt,
      durationMs: performance.now() - from,
      failure: result.kind === "failure" ? result : null,
      logLines,
      retries,
      documentsRead,
    });
}
