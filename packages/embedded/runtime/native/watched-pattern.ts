import { mayBacktrackForever } from "../source/backtracking.ts";
import { endInTime } from "./end-in-time.ts";

/** In fewer characters even a bad expression ends soon. */
const shortText = 16;
/** Matches that an iterator finds at once. */
const mostAtOnce = 64;

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
        return ofText<unknown>(text, () => Reflect.apply(own, this, [text]));
      },
  );
  // These two match with a copy of the expression, which is not watched.
  define(
    value,
    Symbol.split,
    (own) =>
      function (this: unknown, text: unknown, limit: unknown): unknown {
        return ofText<unknown>(text, () => Reflect.apply(own, this, [text, limit]));
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

type Method = (...args: unknown[]) => unknown;

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
    if (found.length === 0) ofText(text, find);
    return found.shift() as IteratorResult<unknown>;
  };
  Object.defineProperty(matches, "next", { value, writable: true, configurable: true });
  return matches;
}

function ofText<T>(text: unknown, task: () => T): T {
  return typeof text === "string" && text.length > shortText ? endInTime(task) : task();
}

function isPattern(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === "[object RegExp]";
}
