import vm from "node:vm";
import { lengthOf, maxElements, reserveElements, reserveParts, smallLength } from "../execution/reserve.ts";

const arrayMethods = ["entries", "fill", "keys", "toReversed", "toSorted", "toSpliced", "with"];
const stringMethods = ["match", "matchAll", "split"];

/** The text of a method that does something before the built-in one. Each has code of its own, so V8 can compile both as one. */
const guarded = (owner: string, name: string, before: string): string => `{
  const own = ${owner}.${name};
  guard(${owner}, own, { ${name}(...args) { ${before} return apply(own, this, args); } }.${name});
}`;

/** Runs in the realm. */
const guards = new vm.Script(`((reserve) => {
  "use strict";
  const { apply, defineProperty } = Reflect;
  const { isArray } = Array;
  const guard = (owner, own, value) => {
    defineProperty(value, "length", { value: own.length });
    defineProperty(owner, own.name, { value });
  };
  const isSmallList = (list) => isArray(list) && list.length <= ${String(smallLength)};
  const isSmallText = (text) => typeof text === "string" && text.length <= ${String(smallLength)};
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
  ${arrayMethods.map((name) => guarded("Array.prototype", name, "if (!isSmallList(this)) reserve.list(this);")).join("")}
  ${stringMethods.map((name) => guarded("String.prototype", name, "if (!isSmallText(this)) reserve.text(this);")).join("")}
  ${guarded("Array.prototype", "concat", "const count = countAll(args); if (count > 1 || !isSmallList(this)) reserve.more(this, count);")}
  ${guarded("Array.prototype", "flat", `if (isArray(this)) reserve.elements(countFlat(this, args[0] ?? 1, ${String(maxElements)}));`)}
  ${guarded("Array", "from", "if (!isSmallList(args[0])) reserve.list(args[0]);")}
  ${guarded("JSON", "parse", "if (!isSmallText(args[0])) reserve.text(args[0]);")}
})`);

const reserve = {
  elements: reserveElements,
  list: (list: unknown) => reserveElements(lengthOf(list)),
  more: (list: unknown, count: number) => reserveElements(lengthOf(list) + count),
  text: (text: unknown) => reserveParts(lengthOf(text)),
};

/**
 * Lets built-in functions that make much of little say first how much memory they need. A single such call could end the
 * process. Those that V8 compiles into the code of their callers, such as `map`, stay as they are.
 */
export function limitBulk(global: vm.Context): void {
  (guards.runInContext(global) as (functions: typeof reserve) => void)(reserve);
}
