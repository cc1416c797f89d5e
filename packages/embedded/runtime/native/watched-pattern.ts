import { types } from "node:util";
import { mayReadAgain, safeLength, safeLengthOf } from "../source/backtracking.ts";
import { endInTime } from "./end-in-time.ts";

/** Matches that an iterator finds at once. */
const mostAtOnce = 64;

/**
 * Lets a regular expression be ended in time if it may take long even in a short text. No tick is reached in it. Returns its
 * argument. Others stay as they are, so V8 has its fast ways for them.
 */
export function watchPattern<T>(value: T): T {
  if (!types.isRegExp(value)) return value;
  const length = safeLengthOf(sourceOf(value));
  if (length >= safeLength) return value;
  const isShort = (text: unknown): boolean => typeof text !== "string" || text.length <= length;
  const ofText = <Result>(text: unknown, task: () => Result): Result =>
    isShort(text) ? task() : endInTime(task);
  // A split matches with a copy of the expression, which is not watched. The others match many times, so one watch is for all.
  for (const name of ["exec", Symbol.match, Symbol.split])
    define(
      value,
      name,
      (own) =>
        function (this: unknown, text: unknown, limit: unknown): unknown {
          return ofText<unknown>(text, () => Reflect.apply(own, this, [text, limit]));
        },
    );
  define(
    value,
    Symbol.replace,
    (own) =>
      function (this: unknown, text: unknown, replacement: unknown): unknown {
        const replace = (by: unknown): unknown => Reflect.apply(own, this, [text, by]);
        return isShort(text) ? replace(replacement) : replaceInTime(value, replacement, replace);
      },
  );
  define(
    value,
    Symbol.matchAll,
    (own) =>
      function (this: unknown, text: unknown): unknown {
        const matches = Reflect.apply(own, this, [text]) as Iterator<unknown>;
        return isShort(text) ? matches : withResultsInTime(matches);
      },
  );
  return value;
}

/** Matches a long text, and ends that with the time of the running function. The task may begin again. */
export function matchInTime<T>(pattern: unknown, task: () => T): T {
  return takesLong(pattern) ? endInTime(task) : task();
}

/** Like `matchInTime`, for an iterator over all matches. */
export function matchAllInTime<T extends Iterator<unknown>>(pattern: unknown, matches: T): T {
  return takesLong(pattern) ? withResultsInTime(matches) : matches;
}

/** Like `matchInTime`, for a replacement. It may be a function, which is called once for each match. */
export function replaceInTime<T>(pattern: unknown, replacement: unknown, replace: (by: unknown) => T): T {
  if (!takesLong(pattern)) return replace(replacement);
  if (typeof replacement === "string") return endInTime(() => replace(replacement));
  // The function's effects must not happen twice, so this finds out first whether all matches are found in time.
  const { lastIndex } = pattern;
  endInTime(() => replace(""));
  pattern.lastIndex = lastIndex;
  return replace(replacement);
}

function takesLong(value: unknown): value is RegExp {
  return types.isRegExp(value) && mayReadAgain(sourceOf(value));
}

const { get: getSource } = Object.getOwnPropertyDescriptor(RegExp.prototype, "source") as {
  readonly get: () => string;
};

/** The source, whatever code has put in its place. */
function sourceOf(pattern: RegExp): string {
  return Reflect.apply<RegExp, [], string>(getSource, pattern, []);
}

type Method = (...args: unknown[]) => unknown;

/** Replaces a method of a regular expression, based on that of the expression's own realm. */
function define(pattern: RegExp, name: PropertyKey, replace: (own: Method) => Method): void {
  const value = replace(Reflect.get(pattern, name) as Method);
  Object.defineProperty(pattern, name, { value, writable: true, configurable: true });
}

/** Lets an iterator find many matches in one watched call, since watching takes as long as many matches. */
function withResultsInTime<T extends Iterator<unknown>>(matches: T): T {
  const next = matches.next.bind(matches);
  const found: IteratorResult<unknown>[] = [];
  const find = (): void => {
    while (found.length < mostAtOnce && found.at(-1)?.done !== true) found.push(next());
  };
  const value = (): IteratorResult<unknown> => {
    if (found.length === 0) endInTime(find);
    return found.shift() as IteratorResult<unknown>;
  };
  Object.defineProperty(matches, "next", { value, writable: true, configurable: true });
  return matches;
}
