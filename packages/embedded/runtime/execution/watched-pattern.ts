import vm from "node:vm";
import { mayBacktrackForever } from "../source/backtracking.ts";
import { executions } from "./execution.ts";
import { ExecutionLimitError } from "./execution-time.ts";
import { isNativeError } from "./thrown-value.ts";

/** In fewer characters even a bad expression ends soon. */
const shortText = 16;
/** Matches that an iterator finds at once. */
const mostAtOnce = 64;
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
  define(
    value,
    "exec",
    (own) =>
      function (this: unknown, text: unknown): unknown {
        return endInTime(text, () => Reflect.apply(own, this, [text]));
      },
  );
  // These two match with a copy of the expression, which is not watched.
  define(
    value,
    Symbol.split,
    (own) =>
      function (this: unknown, text: unknown, limit: unknown): unknown {
        return endInTime(text, () => Reflect.apply(own, this, [text, limit]));
      },
  );
  define(
    value,
    Symbol.matchAll,
    (own) =>
      function (this: unknown, text: unknown): unknown {
        return withResultsInTime(text, Reflect.apply(own, this, [text]) as Iterator<unknown>);
      },
  );
  return value;
}

type Method = (...args: never[]) => unknown;

/** Replaces a method of a regular expression, based on that of the expression's own realm. */
function define(pattern: RegExp, name: PropertyKey, replace: (own: Method) => Method): void {
  const value = replace(Reflect.get(pattern, name) as Method);
  Object.defineProperty(pattern, name, { value, writable: true, configurable: true });
}

/** Lets an iterator find many matches in one watched call, since watching takes as long as many matches. */
function withResultsInTime(text: unknown, matches: Iterator<unknown>): Iterator<unknown> {
  const next = matches.next.bind(matches);
  const found: IteratorResult<unknown>[] = [];
  const find = (): void => {
    while (found.length < mostAtOnce && found.at(-1)?.done !== true) found.push(next());
  };
  const value = (): IteratorResult<unknown> => {
    if (found.length === 0) endInTime(text, find);
    return found.shift() as IteratorResult<unknown>;
  };
  Object.defineProperty(matches, "next", { value, writable: true, configurable: true });
  return matches;
}

function endInTime<T>(text: unknown, task: () => T): T {
  if (typeof text !== "string" || text.length <= shortText) return task();
  const time = executions.getStore()?.time;
  for (;;) {
    time?.check();
    context["task"] = task;
    try {
      return runTask.runInContext(context, {
        timeout: time?.leftMs ?? loadingMs,
        displayErrors: false,
      }) as T;
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
