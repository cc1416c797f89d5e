import vm from "node:vm";
import {
  lengthOf,
  maxElements,
  reserveBits,
  reserveDigits,
  reserveElements,
  reserveNames,
  reserveParts,
  reserveVisits,
  smallLength,
  watchList,
  watchPromises,
} from "../native/reserve.ts";
import {
  matchAllInTime,
  matchInTime,
  replaceInTime,
  watchCompiled,
  watchPattern,
} from "../native/watched-pattern.ts";
import { safeLength, safeLengthsOf } from "../source/backtracking.ts";

/** Methods of arrays that make a list as long as theirs. */
const listing = [
  "entries",
  "fill",
  "filter",
  "flatMap",
  "keys",
  "map",
  "slice",
  "sort",
  "splice",
  "toReversed",
  "toSorted",
  "toSpliced",
  "values",
  "with",
];
/** Methods of arrays that visit every place, also empty ones, and make no list. */
const visiting = [
  "copyWithin",
  "every",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "forEach",
  "includes",
  "indexOf",
  "join",
  "lastIndexOf",
  "reduce",
  "reduceRight",
  "reverse",
  "shift",
  "some",
  "toLocaleString",
  "unshift",
];
const replaceMethods = ["replace", "replaceAll"];
/** Methods of texts that make a regular expression of a text, with these flags. */
const searchMethods = { match: "", matchAll: "g", search: "" };
/** Functions of `Object` that name each character of a text, and each element of a buffer. */
const naming = ["entries", "getOwnPropertyDescriptors", "getOwnPropertyNames", "keys", "values"];

/** The owners of methods that are guarded, by the text that names them. */
const owners = {
  Array,
  "Array.prototype": Array.prototype,
  BigInt,
  "BigInt.prototype": BigInt.prototype,
  JSON,
  Map,
  Object,
  Promise,
  "RegExp.prototype": RegExp.prototype,
  "String.prototype": String.prototype,
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
  const methods = names.map(
    (name) => `${name}(${parametersOf(owner, name)}) { ${before} return ${call(own(name))}; },`,
  );
  return `
  const ${names.map((name) => `${own(name)} = ${owner}.${name}`).join()};
  {
    const guarded = { ${methods.join("\n")} };
    ${names.map((name) => `${owner}.${name} = guarded.${name};`).join("")}
  }`;
};
const guarded = (owner: Owner, name: string, before: string, call?: (own: string) => string): string =>
  allGuarded(owner, [name], before, call);

/** Before methods of texts that use a regular expression. */
const textBefore = "if (!isSmallText(this)) reserve.text(this);";
/** Calls such a method in time if the text is long. `call` is the code for that. */
const matching =
  (call: (own: string) => string) =>
  (own: string): string =>
    `typeof this === "string" && this.length > ${String(safeLength)} && typeof arguments[0] === "object" ? ${call(own)} : apply(${own}, this, arguments)`;
const asMatch = matching((own) => `reserve.match(arguments[0], this, () => apply(${own}, this, arguments))`);
const asAllMatches = matching(
  (own) => `reserve.matchAll(arguments[0], this, apply(${own}, this, arguments))`,
);
const asReplacement = matching(
  (own) =>
    `reserve.replace(arguments[0], this, arguments[1], (by) => apply(${own}, this, [arguments[0], by]))`,
);

const listBefore =
  "if (!isSmallList(arguments[0])) { reserve.list(arguments[0]); arguments[0] = reserve.watched(arguments[0]); }";

const promisesBefore = listBefore.replace("watched", "promises");

/** Runs in the realm. */
const guards = new vm.Script(`((reserve) => {
  "use strict";
  const { apply } = Reflect;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const isSmallList = (list) => isArray(list) && list.length <= ${String(smallLength)};
  const isSmallText = (text) => typeof text === "string" && text.length <= ${String(smallLength)};
  const patternOf = (text, source, flags) =>
    reserve.isRisky(text, source, flags) ? reserve.pattern(new RegExp(source, flags)) : source;
  const countFlat = (list, depth, most) => {
    let count = list.length;
    if (depth < 1) return count;
    for (let i = 0; i < list.length && count <= most; i += 1)
      if (isArray(list[i])) count += countFlat(list[i], depth - 1, most - count);
    return count;
  };
  const countAll = (lists) => {
    let count = 0;
    for (let i = 0; i < lists.length; i += 1) count += isArray(lists[i]) ? lists[i].length : 1;
    return count;
  };
  ${allGuarded("Array.prototype", listing, "if (!isSmallList(this)) reserve.list(this);")}
  ${allGuarded("Array.prototype", visiting, `if (!(isArray(this) && this.length <= ${String(maxElements)})) reserve.visits(this);`)}
  ${allGuarded("String.prototype", replaceMethods, textBefore, asReplacement)}
  ${guarded("String.prototype", "split", textBefore, asMatch)}
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
  ${allGuarded("Object", naming, "if (typeof arguments[0] === 'string' || isView(arguments[0])) reserve.names(arguments[0]);")}
  ${guarded("Object", "assign", "for (let i = 1; i < arguments.length; i += 1) if (typeof arguments[i] === 'string') reserve.names(arguments[i]);")}
  ${allGuarded("Promise", ["all", "allSettled", "any", "race"], promisesBefore)}
  ${allGuarded("Array", ["from", "fromAsync"], listBefore)}
  ${allGuarded("Object", ["fromEntries", "groupBy"], listBefore)}
  ${guarded("Map", "groupBy", listBefore)}
  ${guarded("Array.prototype", "concat", "const count = countAll(arguments); if (count > 1 || !isSmallList(this)) reserve.more(this, count);")}
  ${guarded("Array.prototype", "flat", `if (isArray(this)) reserve.elements(countFlat(this, arguments[0] ?? 1, ${String(maxElements)}));`)}
  ${allGuarded("BigInt", ["asIntN", "asUintN"], "reserve.bits(arguments[0]);")}
  ${allGuarded("BigInt.prototype", ["toLocaleString", "toString"], "reserve.digits(this);")}
  ${guarded("RegExp.prototype", "compile", "", (own) => `reserve.compiled(apply(${own}, this, arguments))`)}
  ${guarded("JSON", "parse", "if (!isSmallText(arguments[0])) reserve.text(arguments[0]);")}
})`);

const reserve = {
  compiled: watchCompiled,
  bits: (count: unknown) => reserveBits(typeof count === "number" ? count : 0),
  digits: reserveDigits,
  elements: reserveElements,
  isRisky: (text: unknown, source: string, flags: string) =>
    lengthOf(text) > safeLengthsOf(source, flags).all,
  list: (list: unknown) => reserveElements(lengthOf(list)),
  match: matchInTime,
  matchAll: matchAllInTime,
  more: (list: unknown, count: number) => reserveElements(lengthOf(list) + count),
  names: (value: unknown) => reserveNames(lengthOf(value)),
  pattern: watchPattern,
  promises: watchPromises,
  replace: replaceInTime,
  text: (text: unknown) => reserveParts(lengthOf(text)),
  visits: (list: unknown) => reserveVisits(lengthOf(list)),
  watched: watchList,
};

/**
 * Lets built-in functions that make or visit much say first how much it is. A single such call could end the process, or block
 * it for minutes.
 */
export function limitBulk(global: vm.Context): void {
  (guards.runInContext(global) as (functions: typeof reserve) => void)(reserve);
}
