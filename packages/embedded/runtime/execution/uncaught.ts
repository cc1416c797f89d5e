import { limits } from "../checks/limits.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { type Execution, executions, isTransactional } from "./execution.ts";
import { describeThrown, type FunctionFailure } from "./function-failure.ts";
import { truncated } from "./truncated.ts";

/** The mapper of the newest bundle: a process runs one bundle at a time. */
let newestMapper: StackMapper | null = null;

/**
 * Keeps the process alive when a promise rejects that a function forgot to await. Rejections of the backend's own code stay
 * fatal. `mapStack` finds the lines of the newest bundle.
 */
export function guardRejections(mapStack: StackMapper): void {
  if (newestMapper === null) process.on("unhandledRejection", onRejection);
  newestMapper = mapStack;
}

function onRejection(reason: unknown): void {
  const execution = executions.getStore();
  if (execution === undefined) throw reason;
  fail(execution, reason, logged(execution, "Unhandled promise rejection", reason));
}

/**
 * Takes an error that a function's timer or microtask has thrown, which would end the process. Fails the function if it has
 * not ended.
 */
export function takeUncaught(thrown: unknown): void {
  const execution = executions.getStore();
  if (execution !== undefined)
    fail(execution, thrown, logged(execution, "Uncaught error in a callback", thrown));
}

/** Takes an error of a function's event listener. As with every event, the dispatching code does not notice. */
export function takeListenerError(thrown: unknown): void {
  const execution = executions.getStore();
  if (execution !== undefined) logged(execution, "Uncaught error in a listener", thrown);
}

function fail(execution: Execution, thrown: unknown, failure: FunctionFailure): void {
  if (execution.ended) return;
  if (isTransactional(execution)) execution.leftFailure ??= failure;
  else execution.fail?.(thrown);
}

/** Logs and describes a thrown value. */
function logged({ context }: Execution, what: string, thrown: unknown): FunctionFailure {
  const failure = describeThrown(thrown, newestMapper ?? (() => []));
  context.logs.add(truncated(`[WARN] ${what}: ${failure.message}`, limits.logLineBytes));
  return failure;
}
