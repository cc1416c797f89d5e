import { types } from "node:util";
import { executions } from "../execution/execution.ts";
import { ExecutionLimitError } from "../execution/execution-time.ts";
import { outOfMemory } from "../execution/memory/memory-use.ts";
import type { Reserve } from "../source/bundled-script.ts";
import { watchIterable, watchIterator } from "./watched-iterable.ts";
import { matchOnceInTime, watchPattern } from "./watched-pattern.ts";

/*
 * V8 ends the process if a single call of a built-in function needs too much memory, and a call that visits billions of empty
 * places blocks it for minutes. No tick is reached before. So such calls say what they will need. Convex ends a function at 64 MiB,
 * so lists that can be filled there are far smaller.
 */

/** Ticks find out what many small calls need. */
export const smallLength = 2 ** 17;
/** The longest list that native code may make at once. */
export const maxElements = 2 ** 25;
const maxCharacters = 2 ** 26;
/** V8 takes about a tenth of a second to make them a number, and a hundred times as long for ten times as many. */
const maxDigits = 2 ** 20;
/**
 * The bits of a big integer of so many digits, about. Dividing such numbers or making them a text takes about half a
 * second.
 */
const maxBits = 2 ** 22;
/** Above it, `Array` throws an error of its own. */
const maxArrayLength = 2 ** 32 - 1;

const bytesOfElement = 8;
/** The memory for waiting, in elements. */
const elementsOfPromise = 128;
/** V8 makes a text of each index. */
const bytesOfName = 32;

/** Call it before native code makes a list of so many elements. Throws if the running function must end. */
export function reserveElements(count: number): void {
  if (count > smallLength) reserve(count <= maxElements, bytesOfElement * count, 0);
}

/** Call it before native code divides a text into parts. */
export function reserveParts(characters: number): void {
  if (characters > smallLength) reserve(characters <= maxCharacters, bytesOfElement * characters, 0);
}

/** Call it before native code copies so many bytes. */
export function reserveCopy(bytes: number): void {
  if (bytes > smallLength) reserve(true, 0, bytes);
}

/** Reading more characters takes about a second. */
const mostCharacters = 2 ** 28;

/**
 * Call it before native code reads all texts of a list, or the first ones of pairs. V8 then makes one text of the parts that it
 * was put together from.
 */
export function reserveTexts(list: unknown): void {
  if (!Array.isArray(list)) return;
  // A list may consist of billions of empty places.
  reserveVisits(list.length);
  let characters = 0;
  for (let at = 0; at < list.length; at += 1) {
    const each: unknown = list[at];
    const text: unknown = Array.isArray(each) ? each[0] : each;
    if (typeof text === "string") characters += text.length;
  }
  reserveCharacters(characters);
}

/** The same if their length is known. */
export function reserveCharacters(count: number): void {
  if (count > maxCharacters) reserve(count <= mostCharacters, count, 0);
}

/** Call it before native code reads a value that may be a text, of which V8 then makes a whole one. */
export function reserveWhole(value: unknown): void {
  if (typeof value === "string" && value.length > smallLength) reserve(true, value.length, 0);
}

/** V8 takes about a tenth of a second to encode or decode a million characters. */
const longestCode = 2 ** 23;

/** Call it before native code encodes or decodes a text. */
export function reserveCoding(text: string): void {
  if (text.length > longestCode) reserveVisits(Infinity);
}

/** Call it before native code makes a name of each index of a text or a buffer. */
export function reserveNames(count: number): void {
  if (count > smallLength) reserve(count <= maxElements, bytesOfName * count, 0);
}

/** Call it before native code visits so many elements, or empty places, without a list of its own. */
export function reserveVisits(count: number): void {
  if (count <= maxElements) return;
  const time = executions.getStore()?.time;
  if (time === undefined) throw new ExecutionLimitError("Function execution timed out");
  time.exceed();
}

/** Call it before native code makes a big integer of a value that may be a text. Returns the value. */
export function reserveDigitsOf(value: unknown): unknown {
  if (typeof value === "string" && value.length > maxDigits) reserveVisits(Infinity);
  return value;
}

/** Call it before native code makes a big integer with so many bits, or makes a text of one. */
export function reserveBits(count: number): void {
  if (count > maxBits) reserveVisits(Infinity);
}

const largest = 2n ** BigInt(maxBits);
/** To negate the other one for each product would take far longer than the product. */
const smallest = -largest;

/** The same for a big integer that is there already. */
export function reserveDigits(value: unknown): void {
  if (typeof value === "bigint" && (value > largest || value < smallest)) reserveVisits(Infinity);
}

/** Call it before native code takes all elements of a list. Returns the list, or one with the same elements. */
export function watchList<T>(list: T): T {
  return watchIterable(list, reserveElements);
}

/** The same for native code that also takes a list whose elements come later. */
export function watchLater<T>(list: T, count = reserveElements): T {
  if (typeof list !== "object" || list === null || types.isGeneratorObject(list)) return list;
  const method: unknown = Reflect.get(list, Symbol.asyncIterator);
  if (typeof method !== "function") return watchIterable(list, count);
  const watched = {
    [Symbol.asyncIterator]: () => watchIterator(Reflect.apply(method, list, []) as Iterator<unknown>, count),
  };
  return watched as T;
}

/** The same for native code that keeps none of the elements. */
export function watchElements<T>(list: T): T {
  return watchLater(list, () => undefined);
}

/** Call it before native code takes elements of an iterator. Returns it, or one with the same elements. */
export function watchHelped(iterator: object): object {
  const next: unknown = Reflect.get(iterator, "next");
  return typeof next === "function" && isNative(next)
    ? watchIterator(iterator as Iterator<unknown>)
    : iterator;
}

const textOf: (this: object) => string = Reflect.get(Function.prototype, "toString");

/** Whether a function has no code of its own, and so no tick. */
export function isNative(value: object): boolean {
  return Reflect.apply<object, [], string>(textOf, value, []).endsWith("{ [native code] }");
}

/**
 * The same before native code waits for each element, which takes far more than an element of a list. If a list breaks off,
 * V8 takes a second for 20,000 elements and four times as long for twice as many, so it gets none of them then.
 */
export function watchPromises(list: unknown): unknown {
  const watched = watchIterable(list, (count) => reserveElements(elementsOfPromise * count));
  if (watched === list) return list;
  try {
    return Array.from(watched as Iterable<unknown>);
  } catch (error) {
    return breakingOff(error);
  }
}

function breakingOff(error: unknown): Iterable<unknown> {
  return {
    [Symbol.iterator]: () => ({
      next: () => {
        throw error;
      },
    }),
  };
}

/** The number of elements or characters that native code will find in a value. Of an iterable it reads no `length`. */
export function lengthOf(value: unknown): number {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    return readLength(value);
  const own = Object.getOwnPropertyDescriptor(value, "length");
  if (own !== undefined && "value" in own) return typeof own.value === "symbol" ? 0 : Number(own.value);
  const isIterable = (Reflect.get(value, Symbol.iterator) ?? null) !== null;
  return isIterable ? 0 : readLength(value);
}

/** The same for native code that reads a `length` in any case: it may be inherited, computed, or a text. */
export function readLength(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength / bytesOfEach(value);
  const length: unknown = Reflect.get(value, "length");
  return typeof length === "symbol" ? 0 : Number(length);
}

function bytesOfEach(view: ArrayBufferView & { readonly BYTES_PER_ELEMENT?: number }): number {
  return view.BYTES_PER_ELEMENT ?? 1;
}

/**
 * Bundled code calls these functions before it makes lists, buffers and numbers. Each returns its first argument, or a list
 * with the same elements.
 */
export const executionReserve: Reserve = {
  array(length) {
    if (typeof length === "number" && length <= maxArrayLength) reserveElements(length);
    return length;
  },
  buffer(length, bytes) {
    const count = typeof length === "number" ? length : lengthOf(length);
    if (count > smallLength) reserve(typeof length === "number" || count <= maxElements, 0, count * bytes);
    return watchList(length);
  },
  spread(list) {
    if (typeof list === "string" || Array.isArray(list) || ArrayBuffer.isView(list))
      reserveElements(lengthOf(list));
    return watchList(list);
  },
  keys(list) {
    reserveTexts(list);
    return executionReserve.spread(list);
  },
  fields(value) {
    reserveNames(lengthOf(value));
    return value;
  },
  bits(count) {
    if (typeof count === "bigint") reserveBits(Number(count));
    return count;
  },
  factor(value) {
    reserveDigits(value);
    return value;
  },
  exponent(base, exponent) {
    if (typeof base === "bigint" && exponent > 1n && (base > 1n || base < -1n)) {
      reserveDigits(base);
      reserveBits(bitsOf(base) * Number(exponent));
    }
    return exponent;
  },
  pattern: watchPattern,
  test: (pattern, text) => matchOnceInTime(pattern, text, (of) => (pattern as RegExp).test(of as string)),
  exec: (pattern, text) => matchOnceInTime(pattern, text, (of) => (pattern as RegExp).exec(of as string)),
};

const bitsOfDigit = 4;

/** One more at most for each digit of base 16. */
function bitsOf(value: bigint): number {
  const length = value.toString(16).length;
  return length === 1 ? Math.log2(Number(value)) : (length - 1) * bitsOfDigit;
}

function reserve(isPossible: boolean, heap: number, buffers: number): void {
  const time = executions.getStore()?.time;
  if (time !== undefined) time.reserve({ heap: isPossible ? heap : Infinity, buffers });
  // While modules are loaded, no function runs.
  else if (!isPossible) throw new ExecutionLimitError(outOfMemory);
}
