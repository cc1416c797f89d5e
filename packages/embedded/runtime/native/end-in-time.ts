import vm from "node:vm";
import { executions } from "../execution/execution.ts";
import { ExecutionLimitError } from "../execution/execution-time.ts";
import { isNativeError } from "../execution/thrown-value.ts";

/** For modules that are loaded, in ms. */
const loadingMs = 10_000;
/** A function's time is processor time, of which a busy machine gives it a part. */
const patience = 3;

// Only a script of its own can be ended from outside, by a thread that Node starts for it. That takes about 0.1 ms.
const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
const runTask = new vm.Script("task()");
/** Whether such a task runs now. It also ends all that it calls. */
let isRunning = false;

/** Whether the running code is ended in time anyway. */
export function isInTime(): boolean {
  return isRunning;
}

/**
 * Runs native code that may not end and has no tick, and ends it with the time of the running function. On a busy machine the
 * task may begin again, so it must not matter how often it begins.
 */
export function endInTime<T>(task: () => T): T {
  if (isRunning) return task();
  const time = executions.getStore()?.time;
  for (;;) {
    time?.check();
    const ran = runFor(time?.leftMs ?? loadingMs, task);
    if (ran !== null) return ran.value;
    // On a busy machine a function has not yet had all of its time.
    if (time === undefined) throw new ExecutionLimitError("Function execution timed out");
  }
}

/** Like `endInTime`, but begins the task only once. */
export function endOnce<T>(task: () => T): T {
  const time = executions.getStore()?.time;
  time?.check();
  const ran = runFor(time === undefined ? loadingMs : patience * time.leftMs, task);
  if (ran !== null) return ran.value;
  time?.exceed();
  throw new ExecutionLimitError("Function execution timed out");
}

/** Runs native code, and ends it after some ms. Returns whether it has ended by itself. */
export function endsWithin(timeout: number, task: () => void): boolean {
  return runFor(timeout, task) !== null;
}

/** Null if the task has taken longer. */
function runFor<T>(timeout: number, task: () => T): { readonly value: T } | null {
  const wasRunning = isRunning;
  context["task"] = task;
  isRunning = true;
  try {
    return { value: runTask.runInContext(context, { timeout, displayErrors: false }) as T };
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return null;
  } finally {
    context["task"] = undefined;
    isRunning = wasRunning;
  }
}

function isTimeout(error: unknown): boolean {
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
