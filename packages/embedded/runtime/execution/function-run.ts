import type { ComponentPath } from "../../names/table-name.ts";
import type { FunctionFailure, FunctionResult } from "./function-failure.ts";

export type FunctionKind = "Query" | "Mutation" | "Action" | "HttpAction";

/** Who asked for a run: a client (HTTP or WebSocket), the scheduler (crons, too), or an action. */
export type FunctionCaller = "Client" | "Scheduler" | "Action";

/** One run of one function, as those hear of it who watch over the backend. */
export type FunctionRun = {
  readonly requestId: string;
  /** The component whose function it is: "" is the app. */
  readonly component: ComponentPath;
  /** "module.js:name", or an HTTP action's method and route; null when there is no such function. */
  readonly identifier: string | null;
  readonly kind: FunctionKind;
  readonly caller: FunctionCaller;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null when it returned a value. */
  readonly failure: FunctionFailure | null;
  readonly logLines: readonly string[];
  /** How often it was run again since another commit had changed what it read. */
  readonly retries: number;
};

/** Whose run it is, as long as it goes on. */
export type NamedRun = Pick<FunctionRun, "requestId" | "component" | "identifier" | "kind">;

/** What goes on in the runtime. Must not throw. */
export type FunctionObserver = {
  readonly onEnd: (run: FunctionRun) => void;
  /** A line of an HTTP action, which may log long after it has answered. */
  readonly onLine: (run: NamedRun, line: string) => void;
};

export const unobserved: FunctionObserver = { onEnd: () => undefined, onLine: () => undefined };

/** Starts the watch of a run; call the result when it has ended. */
export function timedRun(
  observer: FunctionObserver,
  start: NamedRun & Pick<FunctionRun, "caller">,
): (
  end: Pick<FunctionRun, "logLines"> & { readonly result: FunctionResult; readonly retries?: number },
) => void {
  const startedAt = Date.now();
  const from = performance.now();
  return ({ result, logLines, retries = 0 }) =>
    observer.onEnd({
      ...start,
      startedAt,
      durationMs: performance.now() - from,
      failure: result.kind === "failure" ? result : null,
      logLines,
      retries,
    });
}
