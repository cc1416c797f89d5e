import { types } from "node:util";
import { isNativeError } from "../execution/native-error.ts";

type Constructor = abstract new (...args: never[]) => unknown;

const errors = ["Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"];

/**
 * Makes `instanceof` of the context's intrinsics accept objects that the shared web APIs create in this realm:
 * the error with which `fetch` rejects, the array from `response.json()`, its promise.
 */
export function bridgeRealms(intrinsic: (name: string) => unknown): void {
  for (const name of errors) {
    const outer = (globalThis as unknown as Record<string, Constructor>)[name] as Constructor;
    extend(intrinsic(name), (value) => isNativeError(value) && value instanceof outer);
  }
  extend(intrinsic("Array"), Array.isArray);
  extend(intrinsic("Promise"), types.isPromise);
  // `structuredClone` creates these types in this realm.
  extend(intrinsic("Map"), types.isMap);
  extend(intrinsic("Set"), types.isSet);
  extend(intrinsic("RegExp"), types.isRegExp);
  extend(intrinsic("Object"), (value) => value instanceof Object);
}

function extend(constructor: unknown, isForeign: (value: unknown) => boolean): void {
  const inherited = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(constructor, Symbol.hasInstance, {
    // Subclasses inherit this, but objects of another realm are never their instances.
    value(this: unknown, value: unknown): boolean {
      return inherited.call(this, value) || (this === constructor && isForeign(value));
    },
  });
}
