import { types } from "node:util";
import { safeLength, type SafeLengths, safeLengthsOf } from "../source/backtracking.ts";
import { endInTime, endsWithin, isInTime } from "./end-in-time.ts";

/** Matches that are tried at once: first few, then twice as many each time, since a watched call takes as long as many matches. */
const fewAtOnce = 4;
const mostAtOnce = 512;
/** Time for such a trial, in ms. */
const trialMs = 10;

/**
 * Lets a regular expression be ended in time if it may take long even in a short text. No tick is reached in it. Returns its
 * argument. Others stay as they are, so V8 has its fast ways for them.
 */
export function watchPattern<T>(value: T): T {
  if (types.isRegExp(value) && lengthsOf(value).all < safeLength)
    Reflect.setPrototypeOf(value, watchedPrototype(Object.getPrototypeOf(value) as RegExp));
  return value;
}

/** The same for an expression that has become another one (`compile`). Nothing is known about its matches. */
export function watchCompiled<T>(value: T): T {
  if (types.isRegExp(value)) {
    known.delete(value);
    trials.delete(value);
  }
  return watchPattern(value);
}

/** The prototypes of watched expressions, by that of their realm. A method for each expression would take far longer. */
const watchedPrototypes = new WeakMap<RegExp, RegExp>();

function watchedPrototype(base: RegExp): RegExp {
  const earlier = watchedPrototypes.get(base);
  if (earlier !== undefined) return earlier;
  const watched = Object.create(base) as RegExp;
  const define = (name: PropertyKey, create: (own: Method) => Method): void => {
    const value = create(Reflect.get(base, name) as Method);
    Object.defineProperty(watched, name, { value, writable: true, configurable: true });
  };
  const apply = (own: Method, pattern: unknown, ...args: unknown[]): unknown =>
    Reflect.apply(own, pattern, args);
  define(
    "exec",
    (own) =>
      function (this: unknown, text: unknown): unknown {
        return matchOnceInTime(this, text, (of) => apply(own, this, of));
      },
  );
  // A split matches with a copy of the expression, which is not watched. The others match many times, so one watch is for all.
  for (const name of [Symbol.match, Symbol.split])
    define(
      name,
      (own) =>
        function (this: unknown, text: unknown, limit: unknown): unknown {
          return matchInTime(this, text, () => apply(own, this, text, limit));
        },
    );
  define(
    Symbol.replace,
    (own) =>
      function (this: unknown, text: unknown, replacement: unknown): unknown {
        return replaceInTime(this, text, replacement, (by) => apply(own, this, text, by));
      },
  );
  define(
    Symbol.matchAll,
    (own) =>
      function (this: unknown, text: unknown): unknown {
        return matchAllInTime(this, text, apply(own, this, text) as Iterator<unknown>);
      },
  );
  watchedPrototypes.set(base, watched);
  watchedPrototypes.set(watched, watched);
  return watched;
}

/**
 * Finds matches of a long text, and ends that with the time of the running function. The task may begin again. It may find all
 * matches.
 */
export function matchInTime<T>(pattern: unknown, text: unknown, task: () => T): T {
  return takesLong(pattern, text) ? endInTime(task) : task();
}

/** Like `matchInTime`, for an iterator over all matches. */
export function matchAllInTime<T extends Iterator<unknown>>(pattern: unknown, text: unknown, matches: T): T {
  return takesLong(pattern, text) ? withResultsInTime(matches) : matches;
}

/** Like `matchInTime`, for a replacement. It may be a function, which is called once for each match. */
export function replaceInTime<T>(
  pattern: unknown,
  text: unknown,
  replacement: unknown,
  replace: (by: unknown) => T,
): T {
  if (!takesLong(pattern, text)) return replace(replacement);
  if (typeof replacement === "string") return endInTime(() => replace(replacement));
  // The function's effects must not happen twice, so this finds out first whether all matches are found in time.
  const { lastIndex } = pattern;
  endInTime(() => replace(""));
  beginAt(pattern, lastIndex);
  return replace(replacement);
}

const asText: (value: unknown) => string = String;

/** A frozen expression refuses any assignment, also of the same place. */
function beginAt(pattern: RegExp, at: unknown): void {
  if (pattern.lastIndex !== at) pattern.lastIndex = at as number;
}

/** The places from which matching took no long time, in the order in which matches follow each other. */
type Trial = { readonly text: string; readonly places: readonly number[]; next: number };

const trials = new WeakMap<RegExp, Trial>();

/**
 * Like `matchInTime`, for a task that finds one match. An expression that finds one after the other, as a parser does, tries
 * many of them in one watched call. The next tasks then begin at places from which matching is known to end soon.
 */
export function matchOnceInTime<T>(pattern: unknown, of: unknown, task: (text: unknown) => T): T {
  if (isInTime() || !types.isRegExp(pattern)) return task(of);
  // Matching makes a text of an object, once.
  const text = typeof of === "object" && of !== null ? asText(of) : of;
  if (!isLonger(text, lengthsOf(pattern).one)) return task(text);
  const earlier = trials.get(pattern);
  const at: unknown = pattern.lastIndex;
  if (earlier !== undefined && earlier.places[earlier.next] === at && earlier.text === text) {
    earlier.next += 1;
    return task(text);
  }
  const isNext = earlier !== undefined && earlier.next === earlier.places.length && earlier.text === text;
  const result = endInTime(() => {
    beginAt(pattern, at);
    return task(text);
  });
  const most = isNext ? Math.min(mostAtOnce, 2 * earlier.places.length) : fewAtOnce;
  trials.set(pattern, { text, places: goesOn(pattern) ? quickPlaces(pattern, text, most) : [], next: 0 });
  return result;
}

/** Tries the next matches of an expression. Returns the places from which that took no long time, at most so many. */
function quickPlaces(pattern: RegExp, text: string, most: number): readonly number[] {
  const from: unknown = pattern.lastIndex;
  const places: number[] = [];
  if (typeof from !== "number" || from === 0) return places;
  endsWithin(trialMs, () => {
    for (let at = from; places.length < most && at > (places.at(-1) ?? -1); at = pattern.lastIndex) {
      Reflect.apply(exec, pattern, [text]);
      places.push(at);
    }
  });
  pattern.lastIndex = from;
  return places;
}

/** This realm's method also works for expressions of another realm. Its results are of no use there. */
const exec = Reflect.get(RegExp.prototype, "exec") as (this: RegExp, text: string) => unknown;

/** Whether each match begins after the last one. */
function goesOn(pattern: RegExp): boolean {
  return /[gy]/.test(flagsOf(pattern));
}

function takesLong(value: unknown, text: unknown): value is RegExp {
  return types.isRegExp(value) && isLonger(text, lengthsOf(value).all);
}

function isLonger(text: unknown, length: number): text is string {
  return typeof text === "string" && text.length > length;
}

type Known = { readonly source: string; readonly lengths: SafeLengths };

const known = new WeakMap<RegExp, Known>();

function lengthsOf(pattern: RegExp): SafeLengths {
  const source = sourceOf(pattern);
  const earlier = known.get(pattern);
  if (earlier?.source === source) return earlier.lengths;
  const lengths = safeLengthsOf(source, flagsOf(pattern));
  known.set(pattern, { source, lengths });
  return lengths;
}

const getter = (name: keyof RegExp): (() => unknown) =>
  Reflect.get(Object.getOwnPropertyDescriptor(RegExp.prototype, name) ?? {}, "get") as () => unknown;
const getSource = getter("source") as () => string;
const getFlags = [
  ["g", getter("global")],
  ["y", getter("sticky")],
  ["m", getter("multiline")],
  ["s", getter("dotAll")],
  ["i", getter("ignoreCase")],
  ["d", getter("hasIndices")],
  ["u", getter("unicode")],
  ["v", getter("unicodeSets")],
] as const;

/** The source, whatever code has put in its place. */
function sourceOf(pattern: RegExp): string {
  return Reflect.apply<RegExp, [], string>(getSource, pattern, []);
}

function flagsOf(pattern: RegExp): string {
  return getFlags.map(([flag, get]) => (Reflect.apply(get, pattern, []) === true ? flag : "")).join("");
}

type Method = (...args: unknown[]) => unknown;

/** Lets an iterator find many matches in one watched call. */
function withResultsInTime<T extends Iterator<unknown>>(matches: T): T {
  const next = matches.next.bind(matches);
  const found: IteratorResult<unknown>[] = [];
  let most = 1;
  const find = (): void => {
    while (found.length < most && found.at(-1)?.done !== true) found.push(next());
  };
  const value = (): IteratorResult<unknown> => {
    if (found.length === 0) {
      endInTime(find);
      most = Math.min(mostAtOnce, 2 * most);
    }
    return found.shift() as IteratorResult<unknown>;
  };
  Object.defineProperty(matches, "next", { value, writable: true, configurable: true });
  return matches;
}
