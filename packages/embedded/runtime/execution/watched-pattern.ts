import vm from "node:vm";
import { mayBacktrackForever } from "../source/backtracking.ts";
import { executions } from "./execution.ts";
import { ExecutionLimitError } from "./execution-time.ts";
import { isNativeError } from "./thrown-value.ts";

/** In fewer characters even a bad expression ends soon. */
const shortText = 16;
/** For modules that are loaded, in ms. */
const loadingMs = 10_000;

// Only a script of its own can be ended from outside, by a thread that Node starts for it. That takes about 0.1 ms.
const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
const runTask = new vm.Script("task()");

/**
 * Lets a regular expression be ended in time if it may backtrack without end. No tick is reached in it. Returns its argument.
 * Others stay as they are, so V8 has its fast ways for them.
 */
export function watchPattern<T>(value: T): T {
  if (!isPattern(value) || !mayBacktrackForever(value.source)) return value;
  // That of the expression's own realm.
  const exec = Reflect.get(value, "exec") as (text: unknown) => unknown;
  const watched = function (this: unknown, text: unknown): unknown {
    const match = (): unknown => Reflect.apply(exec, this, [text]);
    return typeof text === "string" && text.length > shortText ? endInTime(match) : match();
  };
  Object.defineProperty(value, "exec", { value: watched, writable: true, configurable: true });
  return value;
}

function endInTime(task: () => unknown): unknown {
  const time = executions.getStore()?.time;
  for (;;) {
    time?.check();
    context["task"] = task;
    try {
      return runTask.runInContext(context, { timeout: time?.leftMs ?? loadingMs, displayErrors: false });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      // On a busy machine a function has not yet had all of its time.
      if (time === undefined) throw new ExecutionLimitError("Function execution timed out");
    } finally {
      context["task"] = undefined;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function isPattern(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === "[object RegExp]";
}
