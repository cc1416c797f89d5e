import { types } from "node:util";
import { isNativeError } from "../execution/native-error.ts";

type Constructor = abstract new (...args: never[]) => unknown;

const errors = ["Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"];

/**
 * Makes `instanceof` of the context's intrinsics accept what the shared web APIs create in this realm: the
 * error that `fetch` rejects with, the array that `response.json()` gives, its promise.
 */
export function bridgeRealms(intrinsic: (name: string) => unknown): void {
  for (const name of errors) {
    const outer = (globalThis as unknown as Record<string, Constructor>)[name] as Constructor;
    extend(intrinsic(name), (value) => isNativeError(value) && value instanceof outer);
  }
  extend(intrinsic("Array"), Array.isArray);
  extend(intrinsic("Promise"), types.isPromise);
  // As `structuredClone` gives.
  extend(intrinsic("Map"), types.isMap);
  extend(intrinsic("Set"), types.isSet);
  extend(intrinsic("RegExp"), types.isRegExp);
  extend(intrinsic("Object"), (value) => value instanceof Object);
}

function extend(constructor: unknown, isForeign: (value: unknown) => boolean): void {
  const inherited = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(constructor, Symbol.hasInstance, {
    // Subclasses inherit this; what another realm made is never an instance of theirs.
    value(this: unknown, value: unknown): boolean {
      return inherited.call(this, value) || (this === constructor && isForeign(value));
    },
  });
}
