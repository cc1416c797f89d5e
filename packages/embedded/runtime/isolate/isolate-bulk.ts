import { types } from "node:util";
import vm from "node:vm";
import { endOnce } from "../native/end-in-time.ts";
import { allPlaces, firstPlace, lastPlace } from "../native/long-search.ts";
import {
  isNative,
  lengthOf,
  maxElements,
  readLength,
  reserveBits,
  reserveCoding,
  reserveDigits,
  reserveDigitsOf,
  reserveElements,
  reserveNames,
  reserveParts,
  reserveTexts,
  reserveVisits,
  reserveWhole,
  smallLength,
  watchHelped,
  watchLater,
  watchList,
  watchPromises,
} from "../native/reserve.ts";
import { executionTicks } from "../native/ticks.ts";
import {
  matchAllInTime,
  matchInTime,
  replaceInTime,
  watchCompiled,
  watchPattern,
} from "../native/watched-pattern.ts";
import { safeLength, safeLengthsOf } from "../source/backtracking.ts";
import type { Ticks } from "../source/bundled-script.ts";
import { longTextGuards } from "./long-text-guards.ts";

/** Methods of arrays that make a list as long as theirs. */
const listing = ["entries", "fill", "keys", "slice", "splice", "toReversed", "toSpliced", "values", "with"];
/** The same, but they call a function for each element. */
const mapping = ["filter", "flatMap", "map"];
/** Methods of arrays that visit every place, also empty ones, and make no list. */
const visiting = ["copyWithin", "reverse", "shift", "unshift"];
/** The same, but they call a function for each element. */
const calling = [
  "every",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "forEach",
  "reduce",
  "reduceRight",
  "some",
];
/** Methods of arrays that call themselves for arrays inside. An array may contain another one many times. */
const joining = ["join", "toLocaleString"];
/** Methods of arrays and texts that look for something, with the guard's functions for what takes long. */
const finding = {
  includes: ["includesText", "includesLong"],
  indexOf: ["findText", "findLong"],
  lastIndexOf: ["findTextLast", "findLongLast"],
} as const;
/** Methods of texts that replace a part, with the guard's functions for what takes long. */
const replacing = { replace: "replaceLong", replaceAll: "replaceAllLong" };
/** Methods of texts that make a regular expression of a text, with these flags. */
const searchMethods = { match: "", matchAll: "g", search: "" };
/** Methods of iterators that take elements of their own. */
const helping = [
  "drop",
  "every",
  "filter",
  "find",
  "flatMap",
  "forEach",
  "map",
  "reduce",
  "some",
  "take",
  "toArray",
];
/** Methods of sets that call a function of their argument for each element, and take all elements that it gives. */
const combining = [
  "difference",
  "intersection",
  "isDisjointFrom",
  "isSubsetOf",
  "isSupersetOf",
  "symmetricDifference",
  "union",
];
/** Functions that V8 takes about a tenth of a second for a million characters. */
const coding = ["decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape"];
/** Functions of `Object` that name each character of a text, and each element of an array or a buffer. */
const naming = ["getOwnPropertyNames", "keys", "values"];
/** The same, but they make an object for each. */
const describing = ["entries", "getOwnPropertyDescriptors"];
const namesBefore = (value: string, reserving = "names"): string =>
  `if (hasManyNames(${value})) reserve.${reserving}(${value});`;

/**
 * V8 sorts lists of so many elements in less than a second: with a function, as texts, and as texts that are long. In others, each
 * comparison has a tick.
 */
const quickSort = { comparing: 2 ** 20, plain: 2 ** 17, ofTexts: 2 ** 6 };
const longText = 4_096;
/**
 * A longer list calls a built-in function with a tick for each element: such a function may take much, and has no tick itself. A
 * loop makes about as many calls between two ticks.
 */
const fewElements = 16;
/** The memory of a name with its object, in names. */
const namesOfPair = 4;
/** With more names, `JSON.stringify` looks for each of them in each object. */
const fewNames = 64;

/** The owners of methods that are guarded, by the text that names them. */
const owners = {
  Array,
  "Array.prototype": Array.prototype,
  BigInt,
  "BigInt.prototype": BigInt.prototype,
  // TypeScript's libraries have no such value yet.
  "Iterator.prototype": Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object,
  JSON,
  Map,
  Object,
  Promise,
  "Promise.prototype": Promise.prototype,
  Reflect,
  "RegExp.prototype": RegExp.prototype,
  "Map.prototype": Map.prototype,
  "Set.prototype": Set.prototype,
  String,
  "String.prototype": String.prototype,
  globalThis,
};
type Owner = keyof typeof owners;

/** The parameters of a method that has as many as the built-in one. */
function parametersOf(owner: Owner, name: string): string {
  const { length } = Reflect.get(owners[owner], name) as { readonly length: number };
  return Array.from({ length }, (_, index) => `_${String(index)}`).join();
}

/**
 * The text of methods that do something before the built-in ones. Each has code of its own, so V8 can compile both as one.
 * Setting a built-in method keeps it hidden from enumeration, and costs a third of defining it: each world sets sixty.
 */
const allGuarded = (
  owner: Owner,
  names: readonly string[],
  before: string,
  call = (own: string): string => `apply(${own}, this, arguments)`,
): string => {
  const own = (name: string): string => `${owner.replace(".", "_")}_${name}`;
  // `Promise.try` is missing before Node 24.
  const present = names.filter((name) => name in owners[owner]);
  const methods = present.map(
    (name) => `${name}(${parametersOf(owner, name)}) { ${before} return ${call(own(name))}; },`,
  );
  return `
  const ${present.map((name) => `${own(name)} = ${owner}.${name}`).join()};
  {
    const guarded = { ${methods.join("\n")} };
    ${present.map((name) => `${owner}.${name} = guarded.${name};`).join("")}
  }`;
};
const guarded = (owner: Owner, name: string, before: string, call?: (own: string) => string): string =>
  allGuarded(owner, [name], before, call);

const tickingBefore = "arguments[0] = tickingBuiltIn(arguments[0]);";
/**
 * Before methods of arrays that call a function. Any of them may be the `then` of an object: V8 then calls it with a function
 * that resolves a promise, in a task of its own. If that gives the same object again, no other code ever runs.
 */
const callBefore = `tick(); if (!(isArray(this) && this.length <= ${String(fewElements)})) ${tickingBefore}`;
const eachBefore = (size: string): string =>
  `tick(); if (apply(${size}, this, []) > ${String(fewElements)}) ${tickingBefore}`;

/** Before methods of texts that use a regular expression. */
const textBefore = "if (!isSmallText(this)) reserve.text(this);";
/** Calls such a method in time if the text is long. `call` is the code for that. */
const matching =
  (call: (own: string) => string) =>
  (own: string): string =>
    `hasBuiltInExec(arguments[0]) ? reserve.once(() => apply(${own}, this, arguments)) : typeof this === "string" && this.length > ${String(safeLength)} && typeof arguments[0] === "object" ? ${call(own)} : apply(${own}, this, arguments)`;
const asMatch = matching((own) => `reserve.match(arguments[0], this, () => apply(${own}, this, arguments))`);
const listBeforeVisits = `if (!(isArray(this) && this.length <= ${String(maxElements)})) reserve.visits(this);`;
/** Calls `long` if the method may take long to find what its first argument says. */
const unlessLong =
  (isShort: string, long: string, call = (own: string): string => `apply(${own}, this, arguments)`) =>
  (own: string): string =>
    `${isShort} ? ${call(own)} : ${long}(${own}, this, arguments)`;
/** The same for a method that may use a regular expression. */
const unlessLongOr = (symbol: string, long: string, call: (own: string) => string) =>
  unlessLong(`isShortSearch(this, arguments[0]) || does(arguments[0], ${symbol})`, long, call);
const asSort = (own: string): string =>
  `isQuickSort(this, arguments[0]) ? apply(${own}, this, arguments) : apply(${own}, this, [arguments[0] === undefined ? compareTexts : ticking(arguments[0])])`;
const asAllMatches = matching(
  (own) => `reserve.matchAll(arguments[0], this, apply(${own}, this, arguments))`,
);
const asReplacement = matching(
  (own) =>
    `reserve.replace(arguments[0], this, arguments[1], (by) => apply(${own}, this, [arguments[0], by]))`,
);

const listBefore =
  "if (!isSmallList(arguments[0])) { reserve.list(arguments[0]); arguments[0] = reserve.watched(arguments[0]); }";

const groupBefore = `tick(); reserve.texts(arguments[0]); ${listBefore} arguments[1] = tickingBuiltIn(arguments[1]);`;
const mapperBefore = `tick(); if (arguments.length > 1 && !(isArray(arguments[0]) && arguments[0].length <= ${String(fewElements)})) arguments[1] = tickingBuiltIn(arguments[1]);`;
const promisesBefore = `tick(); ++fuel[1]; ${listBefore.replace("watched", "promises")}`;
/** Before methods that these call for each promise of a list. */
const promiseBefore = "if (untold > 0) untold -= 1; else { tick(); ++fuel[1]; }";

/** Replaces `BigInt` by a function that also sees the texts of objects. Like the built-in one, it cannot be called with `new`. */
const guardedBigInt = `
  const ownBigInt = BigInt;
  const { toPrimitive } = Symbol;
  const ordinaryToPrimitive = Date.prototype[toPrimitive];
  const toNumeric = (object) => {
    const method = object[toPrimitive];
    if (method === undefined || method === null) return apply(ordinaryToPrimitive, object, ["number"]);
    const primitive = apply(method, object, ["number"]);
    if (isObject(primitive)) throw new TypeError("Cannot convert object to primitive value");
    return primitive;
  };
  const guardedBigInt = { BigInt(value) {
    if (typeof value === "number" || typeof value === "bigint") return ownBigInt(value);
    return ownBigInt(reserve.digitsOfText(isObject(value) ? toNumeric(value) : value));
  } }.BigInt;
  Object.defineProperties(guardedBigInt, Object.getOwnPropertyDescriptors(ownBigInt));
  Object.defineProperty(ownBigInt.prototype, "constructor", { value: guardedBigInt });
  Object.defineProperty(globalThis, "BigInt", { value: guardedBigInt });
`;

/** Runs in the realm. */
const guards = new vm.Script(`((reserve, ticks) => {
  "use strict";
  const { fuel, refuel } = ticks;
  const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { hasOwn } = Object;
  const { isConcatSpreadable } = Symbol;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const nextOf = (iterator) => getPrototypeOf(iterator).next;
  const ownNext = new Set([[].values(), new Set().values(), new Map().values(), ""[Symbol.iterator](), "".matchAll(/x/g), [].values().drop(0), getPrototypeOf((function* () {})())].map(nextOf));
  const isSmallList = (list) => isArray(list) && list.length <= ${String(smallLength)};
  const isSmallText = (text) => typeof text === "string" && text.length <= ${String(smallLength)};
  const hasManyNames = (value) =>
    typeof value === "string" || (typeof value === "object" && value !== null && (isView(value) || (hasOwn(value, "length") && reserve.isIndexed(value))));
  const patternOf = (text, source, flags) =>
    reserve.isRisky(text, source, flags) ? reserve.pattern(new RegExp(source, flags)) : source;
  const countFlat = (list, depth, most) => {
    let count = list.length;
    if (depth < 1) return count;
    for (let i = 0; i < list.length && count <= most; i += 1)
      if (isArray(list[i])) count += countFlat(list[i], depth - 1, most - count);
    return count;
  };
  const isSpread = (value) => typeof value === "object" && value !== null && value[isConcatSpreadable];
  const countAll = (lists) => {
    let count = 0;
    for (let i = 0; i < lists.length; i += 1)
      count += isArray(lists[i]) ? lists[i].length : isSpread(lists[i]) ? reserve.lengthOf(lists[i]) : 1;
    return count;
  };
  const tick = () => { if (--fuel[0] < 0) refuel(); };
  const isLongText = (list, place) => {
    const value = getOwnPropertyDescriptor(list, place)?.value;
    return typeof value === "string" && value.length > ${String(longText)};
  };
  const isQuickSort = (list, compare) => {
    if (compare !== undefined) return typeof compare !== "function" || (isArray(list) && list.length <= ${String(quickSort.comparing)});
    if (!isArray(list) || list.length > ${String(quickSort.plain)}) return false;
    return list.length <= ${String(quickSort.ofTexts)} || !(isLongText(list, 0) || isLongText(list, list.length >> 1) || isLongText(list, list.length - 1));
  };
  const compareTexts = (first, second) => {
    tick();
    const [a, b] = [\`\${first}\`, \`\${second}\`];
    return a < b ? -1 : b < a ? 1 : 0;
  };
  const ticking = (compare) => (first, second) => {
    tick();
    return compare(first, second);
  };
  const readWhole = (value) => { if (typeof value === "string" && !isSmallText(value)) reserve.whole(value); };
  const ownFunctions = Function.prototype;
  const ownAsyncFunctions = getPrototypeOf(async () => null);
  // Functions of web APIs have code of the backend. To remember answers would cost more: most functions are new.
  const isOwn = (call) => {
    const prototype = getPrototypeOf(call);
    return (prototype === ownFunctions || prototype === ownAsyncFunctions) && !reserve.isNative(call);
  };
  // Methods that reduce a list pass its element second.
  const tickingBuiltIn = (call) =>
    typeof call === "function" && !isOwn(call)
      ? function (...args) { tick(); readWhole(args[0]); readWhole(args[1]); return apply(call, this, args); }
      : call;
  const { exec: ownExec } = RegExp.prototype;
  const hasBuiltInExec = (pattern) =>
    typeof pattern === "object" && pattern !== null && pattern.exec !== ownExec && typeof pattern.exec === "function" && reserve.isNative(pattern.exec);
  ${longTextGuards}
  ${allGuarded("Array.prototype", listing, "if (!isSmallList(this)) reserve.places(this);")}
  ${allGuarded("Array.prototype", ["sort", "toSorted"], "tick(); if (!isSmallList(this)) reserve.places(this);", asSort)}
  ${allGuarded("Array.prototype", mapping, `if (!isSmallList(this)) reserve.places(this); ${callBefore}`)}
  ${allGuarded("Array.prototype", visiting, listBeforeVisits)}
  ${allGuarded("Array.prototype", calling, `${listBeforeVisits} ${callBefore}`)}
  const { get: sizeOfMap } = getOwnPropertyDescriptor(Map.prototype, "size");
  const { get: sizeOfSet } = getOwnPropertyDescriptor(Set.prototype, "size");
  ${guarded("Map.prototype", "forEach", eachBefore("sizeOfMap"))}
  ${guarded("Set.prototype", "forEach", eachBefore("sizeOfSet"))}
  ${allGuarded("Array.prototype", joining, `tick(); ${listBeforeVisits}`)}
  ${Object.entries(finding)
    .map(
      ([name, [inList, inText]]) =>
        guarded(
          "Array.prototype",
          name,
          listBeforeVisits,
          unlessLong("isShortList(this, arguments[0])", inList),
        ) + guarded("String.prototype", name, "", unlessLong("isShortSearch(this, arguments[0])", inText)),
    )
    .join("")}
  ${Object.entries(replacing)
    .map(([name, long]) =>
      guarded("String.prototype", name, textBefore, unlessLongOr("asReplacement", long, asReplacement)),
    )
    .join("")}
  ${guarded("String.prototype", "split", textBefore, unlessLongOr("asSplit", "splitLong", asMatch))}
  ${Object.entries(searchMethods)
    .map(([name, flags]) =>
      guarded(
        "String.prototype",
        name,
        `${textBefore} if (typeof arguments[0] === "string") arguments[0] = patternOf(this, arguments[0], "${flags}");`,
        name === "matchAll" ? asAllMatches : asMatch,
      ),
    )
    .join("")}
  ${allGuarded("Object", naming, namesBefore("arguments[0]"))}
  ${allGuarded("Object", describing, namesBefore("arguments[0]", "pairs"))}
  ${allGuarded("Object", ["create", "defineProperties"], namesBefore("arguments[1]"))}
  ${guarded("Reflect", "ownKeys", namesBefore("arguments[0]"))}
  ${guarded("Object", "assign", `for (let i = 1; i < arguments.length; i += 1) ${namesBefore("arguments[i]")}`)}
  const { keys: keysOfSet } = Set.prototype;
  const isOwnSet = (value) => reserve.isSet(value) && getPrototypeOf(value) === Set.prototype && getOwnPropertyDescriptor(value, "keys") === undefined && getOwnPropertyDescriptor(Set.prototype, "keys")?.value === keysOfSet;
  ${allGuarded("Set.prototype", combining, "", (own) => `isOwnSet(arguments[0]) ? apply(${own}, this, arguments) : reserve.once(() => apply(${own}, this, arguments))`)}
  ${guarded("String", "raw", "", () => "joinRaw(...arguments)")}
  ${allGuarded("globalThis", coding, "arguments[0] = `${arguments[0]}`; reserve.code(arguments[0]);")}
  // If such a call breaks off, V8 takes minutes for a hundred thousand promises. So each of a list may be waited for without a tick.
  let untold = 0;
  const waitForAll = (own, type, args) => {
    const before = untold;
    untold = isArray(args[0]) ? 2 * args[0].length : 0;
    try { return apply(own, type, args); } finally { untold = before; }
  };
  ${allGuarded("Promise", ["all", "allSettled", "any", "race"], promisesBefore, (own) => `waitForAll(${own}, this, arguments)`)}
  ${allGuarded("Promise", ["reject", "try", "withResolvers"], "tick(); ++fuel[1];")}
  ${guarded("Promise", "resolve", promiseBefore)}
  ${guarded("Promise.prototype", "then", promiseBefore)}
  ${guarded("Array", "from", `${listBefore} ${mapperBefore}`)}
  ${guarded("Array", "fromAsync", `${listBefore.replace("watched", "later")} ${mapperBefore}`)}
  ${guarded("Object", "fromEntries", `reserve.texts(arguments[0]); ${listBefore}`)}
  ${guarded("Object", "groupBy", groupBefore)}
  ${guarded("Map", "groupBy", groupBefore)}
  ${guarded("Array.prototype", "concat", "const count = countAll(arguments); if (count > 1 || !isSmallList(this)) reserve.more(this, count);")}
  ${guarded("Array.prototype", "flat", `if (isArray(this)) reserve.elements(countFlat(this, arguments[0] ?? 1, ${String(maxElements)})); else reserve.visits(this);`)}
  const has = Set.prototype.has;
  const watchedIterator = (iterator) =>
    isObject(iterator) && !apply(has, ownNext, [iterator.next]) ? reserve.helped(iterator) : iterator;
  ${allGuarded("Iterator.prototype", helping, "tick();", (own) => `apply(${own}, watchedIterator(this), arguments)`)}
  ${allGuarded("BigInt", ["asIntN", "asUintN"], "reserve.bits(arguments[0]); reserve.digitsOfText(arguments[1]);")}
  ${allGuarded("BigInt.prototype", ["toLocaleString", "toString"], "reserve.digits(this);")}
  ${guardedBigInt}
  ${guarded("RegExp.prototype", "compile", "", (own) => `reserve.compiled(apply(${own}, this, arguments))`)}
  ${guarded("JSON", "stringify", `if (isArray(arguments[1])) reserve.texts(arguments[1]); if (isView(arguments[0])) reserve.names(arguments[0]);`, (own) => `isArray(arguments[1]) && arguments[1].length > ${String(fewNames)} ? reserve.once(() => apply(${own}, this, arguments)) : apply(${own}, this, arguments)`)}
  ${guarded("JSON", "parse", "if (!isSmallText(arguments[0])) reserve.text(arguments[0]); if (arguments.length > 1) arguments[1] = tickingBuiltIn(arguments[1]);")}
})`);

const reserve = {
  allPlaces,
  firstPlace,
  lastPlace,
  compiled: watchCompiled,
  code: reserveCoding,
  bits: (count: unknown) => reserveBits(typeof count === "number" ? count : 0),
  digits: reserveDigits,
  digitsOfText: reserveDigitsOf,
  elements: reserveElements,
  end: () => reserveVisits(Infinity),
  isRisky: (text: unknown, source: string, flags: string) =>
    lengthOf(text) > safeLengthsOf(source, flags).all,
  isNative,
  isIndexed: (value: unknown) => Array.isArray(value) || types.isStringObject(value),
  isSet: types.isSet,
  later: watchLater,
  lengthOf,
  list: (list: unknown) => reserveElements(lengthOf(list)),
  match: matchInTime,
  matchAll: matchAllInTime,
  helped: watchHelped,
  more: (list: unknown, count: number) => reserveElements(lengthOf(list) + count),
  names: (value: unknown) => reserveNames(lengthOf(value)),
  pairs: (value: unknown) => reserveNames(namesOfPair * lengthOf(value)),
  pattern: watchPattern,
  places: (list: unknown) => reserveElements(readLength(list)),
  once: endOnce,
  promises: watchPromises,
  replace: replaceInTime,
  text: (text: unknown) => reserveParts(lengthOf(text)),
  texts: reserveTexts,
  visits: (list: unknown) => reserveVisits(readLength(list)),
  watched: watchList,
  whole: reserveWhole,
};

/**
 * Lets built-in functions that make or visit much say first how much it is. A single such call could end the process, or block
 * it for minutes.
 */
export function limitBulk(global: vm.Context): void {
  const install = guards.runInContext(global) as (functions: typeof reserve, ticks: Ticks) => void;
  install(reserve, executionTicks);
}
