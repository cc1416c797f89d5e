import { types } from "node:util";
import { executions } from "../execution/execution.ts";
import { isNativeError } from "../execution/thrown-value.ts";
import { bytesOf } from "./bytes-of.ts";
import { refuseNestedBlob } from "./nested-blobs.ts";
import {
  reserveCharacters,
  reserveCoding,
  reserveCopy,
  reserveTexts,
  reserveVisits,
  watchList,
} from "./reserve.ts";

/** Call it before Node copies a body. */
export function reserveBody(body: unknown): void {
  if (typeof body === "string") reserveCopy(body.length);
  else if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) reserveCopy(body.byteLength);
  else if (body instanceof FormData || body instanceof URLSearchParams) reserveCopy(lengthOfPairs(body));
}

type Each = (this: object, act: (value: unknown, name: string) => void) => void;
const eachOfForm = Reflect.get(FormData.prototype, "forEach") as Each;
const eachParameter = Reflect.get(URLSearchParams.prototype, "forEach") as Each;

/** The number of all characters. */
function lengthOfPairs(body: FormData | URLSearchParams): number {
  let length = 0;
  const count = (value: unknown, name: string): void => {
    length += name.length + (typeof value === "string" ? value.length : 0);
  };
  Reflect.apply(body instanceof FormData ? eachOfForm : eachParameter, body, [count]);
  return length;
}

type Methods = Readonly<Record<string, (this: unknown, ...args: never) => unknown>>;

/** Lets parameters say how long they are: Node makes their text, and takes it apart, in one go. */
export function limitParameters(): void {
  const { get: parametersOf } = Object.getOwnPropertyDescriptor(URL.prototype, "searchParams") as {
    readonly get: (this: URL) => URLSearchParams;
  };
  const getters = {
    get searchParams() {
      const url = this as unknown as URL;
      reserveCoding(Reflect.get(URL.prototype, "search", url));
      return Reflect.apply(parametersOf, url, []);
    },
  };
  Object.defineProperty(URL.prototype, "searchParams", {
    ...Object.getOwnPropertyDescriptor(getters, "searchParams"),
  });
  // Parameters that exist are taken apart again.
  for (const name of ["href", "search"]) {
    const own = Object.getOwnPropertyDescriptor(URL.prototype, name);
    const set = function (this: URL, value: unknown): void {
      // Node refuses a symbol, of which this would make a text.
      const text = typeof value === "symbol" ? value : String(value);
      if (typeof text === "string") reserveCoding(text);
      own?.set?.call(this, text);
    };
    Object.defineProperty(URL.prototype, name, { ...own, set });
  }
  const own: (this: unknown) => string = Reflect.get(URLSearchParams.prototype, "toString");
  const methods: Methods = {
    toString() {
      if (this instanceof URLSearchParams) reserveCopy(lengthOfPairs(this));
      return Reflect.apply(own, this, []);
    },
  };
  Object.defineProperty(URLSearchParams.prototype, "toString", { value: methods["toString"] });
}

/** Node takes up to a second to decode as many bytes. */
const longestText = 2 ** 26;

/** Lets texts that are decoded say how long they are. */
export function limitDecoding(): void {
  const own = Reflect.get(TextDecoder.prototype, "decode") as (this: unknown, ...args: unknown[]) => string;
  const methods: Methods = {
    decode(...args: readonly unknown[]) {
      const length = bytesOf(args[0]).length;
      reserveCopy(length);
      if (length > longestText) executions.getStore()?.time.exceed();
      return Reflect.apply(own, this, args);
    },
  };
  Object.defineProperty(methods["decode"], "length", { value: own.length });
  Object.defineProperty(TextDecoder.prototype, "decode", { value: methods["decode"], enumerable: true });
}

const functions = {
  structuredClone: (value: unknown, options?: StructuredSerializeOptions): unknown => {
    reserveClone(value);
    return structuredClone(value, options);
  },
};
/** `structuredClone`, which copies all texts of a value in one go. */
export const cloneOf = functions.structuredClone;

type EachOf = (this: object, act: (value: unknown, key: unknown) => void) => void;
const eachOfMap = Reflect.get(Map.prototype, "forEach") as EachOf;
const eachOfSet = Reflect.get(Set.prototype, "forEach") as EachOf;
const textOf: (this: object) => string = Reflect.get(String.prototype, "valueOf");
const { get: sourceOf } = Object.getOwnPropertyDescriptor(RegExp.prototype, "source") as {
  readonly get: (this: object) => string;
};
const ownValue = (value: object, key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value;

/** The time of the function is checked after so many values. */
const valuesPerCheck = 1_024;

/**
 * Call it before V8 copies a value with all that it contains. V8 copies a text as often as it is there. Runs no trap, and no getter
 * but of long arrays: V8 refuses proxies, and runs the getters itself.
 */
function reserveClone(whole: unknown): void {
  const [left, seen] = [[] as object[], new Set<object>()];
  const time = executions.getStore()?.time;
  let [characters, bytes, count] = [0, 0, 0];
  const visit = (value: unknown): void => {
    count += 1;
    if (count % valuesPerCheck === 0) time?.check();
    if (typeof value === "string") {
      characters += value.length;
      reserveCharacters(characters);
    } else if (typeof value === "object" && value !== null && !types.isProxy(value) && !seen.has(value)) {
      seen.add(value);
      left.push(value);
    }
  };
  visit(whole);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (types.isAnyArrayBuffer(next)) bytes += next.byteLength;
    else visitContents(next, visit);
  }
  reserveCopy(bytes + characters);
}

function visitContents(value: object, visit: (content: unknown) => void): void {
  const visitPair = (of: unknown, key: unknown): void => {
    visit(of);
    visit(key);
  };
  if (ArrayBuffer.isView(value)) visit(value.buffer);
  else if (value instanceof Blob) refuseNestedBlob(value);
  else if (types.isStringObject(value)) visit(Reflect.apply(textOf, value, []));
  else if (types.isRegExp(value)) visit(Reflect.apply(sourceOf, value, []));
  else if (isNativeError(value)) {
    // The stack begins with the message.
    for (const key of ["message", "message", "stack", "cause"]) visit(ownValue(value, key));
  } else if (types.isMap(value)) Reflect.apply(eachOfMap, value, [visitPair]);
  else if (types.isSet(value)) Reflect.apply(eachOfSet, value, [visit]);
  else if (Array.isArray(value) && value.length > valuesPerCheck) {
    // It may consist of billions of empty places.
    reserveVisits(value.length);
    for (let at = 0; at < value.length; at += 1) visit(value[at]);
  } else {
    for (const key of Object.keys(value)) visit(ownValue(value, key));
  }
}

/** A class whose constructor takes all elements of a list in one go, and perhaps all of their texts. */
export function withWatchedList<T extends object>(api: T): T {
  return new Proxy(api, {
    construct(target, [list, ...others]: readonly unknown[], newTarget) {
      if (typeof list === "string") reserveCoding(list);
      reserveTexts(list);
      return Reflect.construct(target as never, [watchList(list), ...others], newTarget) as object;
    },
  });
}

/** Options whose headers may be a list without end. */
export function withWatchedHeaders<T extends { readonly headers?: unknown } | undefined>(init: T): T {
  const headers = init?.headers;
  const watched = headers instanceof Headers ? headers : watchList(headers);
  if (init === undefined || watched === headers) return init;
  return Object.create(init, { headers: { value: watched } }) as T;
}
