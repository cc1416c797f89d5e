import { types } from "node:util";
import type vm from "node:vm";
import { isNativeError } from "../execution/thrown-value.ts";

type Constructor = abstract new (...args: never[]) => unknown;

const errors = ["Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"];

/**
 * Makes `instanceof` of the realm's built-in classes accept objects that the shared web APIs create in the backend's realm:
 * the error with which `fetch` rejects, the array from `response.json()`, its promise.
 */
export function bridgeRealms(global: vm.Context): void {
  for (const name of errors) {
    const outer = (globalThis as unknown as Record<string, Constructor>)[name] as Constructor;
    extend(global[name], (value) => isNativeError(value) && value instanceof outer);
  }
  extend(global["Array"], Array.isArray);
  extend(global["Promise"], types.isPromise);
  // `structuredClone` creates these types in this realm.
  extend(global["Map"], types.isMap);
  extend(global["Set"], types.isSet);
  extend(global["RegExp"], types.isRegExp);
  extend(global["Object"], (value) => value instanceof Object);
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
