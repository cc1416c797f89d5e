import { limits } from "../checks/limits.ts";
import { truncated } from "../checks/truncated.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { type Execution, executions, isTransactional } from "./execution.ts";
import { describeThrown, type FunctionFailure } from "./function-failure.ts";
import { isOfLoad } from "./loading.ts";
import { isStopped } from "./operations.ts";

/** The mapper of the newest bundle: a process runs one bundle at a time. */
let newestMapper: StackMapper | null = null;

/**
 * A rejected promise that nobody handles. Node reports rejections one after the other, once all microtasks have run, so when it
 * reports this one, it has reported all earlier ones.
 */
class ReportMarker {
  readonly #resolve: () => void;

  constructor(resolve: () => void) {
    this.#resolve = resolve;
  }

  /** Resolves a marker; false for any other value. Runs no code of a value that a function rejected with. */
  static resolve(reason: unknown): boolean {
    if (typeof reason !== "object" || reason === null || !(#resolve in reason)) return false;
    reason.#resolve();
    return true;
  }
}

/**
 * Takes rejections that a function leaves unhandled, so that they fail the function and not the process. The program's own
 * listeners do not see them. Rejections of the backend's own code take their usual way. `mapStack` finds the lines of the
 * newest bundle.
 */
export function guardRejections(mapStack: StackMapper): void {
  if (newestMapper === null) interceptRejections();
  newestMapper = mapStack;
}

let nextReport: Promise<void> | null = null;

/**
 * Resolves when all microtasks have run, and `guardRejections` has taken the rejections of promises that nothing handled. Runs that
 * end together wait for the same report: Node goes through all rejections that it has before any code goes on.
 */
export function rejectionsReported(): Promise<void> {
  nextReport ??= new Promise((resolve) => {
    const marker = new ReportMarker(() => {
      nextReport = null;
      resolve();
    });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an Error would cost a stack
    void Promise.reject(marker);
  });
  return nextReport;
}

// A listener would not do: the program's other listeners would get each rejection, too.
function interceptRejections(): void {
  const emit = process.emit.bind(process) as (event: string, ...values: unknown[]) => boolean;
  const intercepted = (event: string, ...values: unknown[]): boolean =>
    (event === "unhandledRejection" && takeRejection(values[0])) || emit(event, ...values);
  process.emit = intercepted as typeof process.emit;
}

function takeRejection(reason: unknown): boolean {
  if (ReportMarker.resolve(reason)) return true;
  const execution = executions.getStore();
  if (execution !== undefined && !isStopped(reason) && !isAtLimit(execution))
    fail(execution, reason, logged(execution, "Unhandled promise rejection", reason));
  // A run that loads the modules again fails with it.
  return execution !== undefined || isOfLoad();
}

/** After its limit, all that a function has left fails: there may be a million promises and callbacks, and nobody asks why. */
function isAtLimit({ time }: Execution): boolean {
  return time.error !== null;
}

/**
 * Takes an error that a function's timer or microtask has thrown, which would end the process. Fails the function if it has
 * not ended.
 */
export function takeUncaught(thrown: unknown): void {
  const execution = executions.getStore();
  if (execution !== undefined && !isAtLimit(execution))
    fail(execution, thrown, logged(execution, "Uncaught error in a callback", thrown));
}

/** Fails the function that runs now with an error that it cannot catch, as a promise does that nobody awaits. */
export function failFunction(error: Error): void {
  const execution = executions.getStore();
  if (execution === undefined) return;
  queueMicrotask(() => {
    fail(execution, error, described(error));
  });
}

/** The developer's frames of the code that calls this. */
export function framesHere(): readonly string[] {
  return newestFrames(new Error().stack ?? "");
}

/** Maps a stack to lines of the developer's files, by the newest bundle. */
export function newestFrames(stack: string): readonly string[] {
  return newestMapper?.(stack) ?? [];
}

/** Takes an error of a function's event listener. As with every event, the dispatching code does not notice. */
export function takeListenerError(thrown: unknown): void {
  const execution = executions.getStore();
  if (execution !== undefined) logged(execution, "Uncaught error in a listener", thrown);
}

function fail(execution: Execution, thrown: unknown, failure: FunctionFailure): void {
  if (execution.ended) return;
  if (isTransactional(execution)) execution.leftFailure ??= failure;
  execution.fail?.(thrown);
}

/** Logs and describes a thrown value. */
function logged({ context }: Execution, what: string, thrown: unknown): FunctionFailure {
  const failure = described(thrown);
  context.logs.add(truncated(`[WARN] ${what}: ${failure.message}`, limits.logLineBytes));
  return failure;
}

function described(thrown: unknown): FunctionFailure {
  return describeThrown(thrown, newestMapper ?? (() => []));
}
