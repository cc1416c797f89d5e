import vm from "node:vm";
import { lazyGlobal } from "./lazy-global.ts";

/** Runs in the realm. Functions must not observe the garbage collector, which behaves differently in each run. */
const strongReferences = new vm.Script(`
(() => {
  const hold = (value) => {
    const held = typeof value === "object" ? value !== null
      : typeof value === "function" || (typeof value === "symbol" && Symbol.keyFor(value) === undefined);
    if (!held) throw new TypeError("target must be an object");
    return value;
  };
  class WeakRef {
    #target;
    constructor(target) { this.#target = hold(target); }
    deref() { return this.#target; }
    get [Symbol.toStringTag]() { return "WeakRef"; }
  }
  class FinalizationRegistry {
    #tokens = new WeakSet();
    constructor(cleanup) {
      if (typeof cleanup !== "function") throw new TypeError("cleanup must be callable");
    }
    register(target, heldValue, token) {
      if (hold(target) === heldValue) throw new TypeError("target and holdings must not be same");
      if (token !== undefined) this.#tokens.add(hold(token));
    }
    unregister(token) { return this.#tokens.delete(hold(token)); }
    get [Symbol.toStringTag]() { return "FinalizationRegistry"; }
  }
  return { WeakRef, FinalizationRegistry };
})()`);

// Properties that reveal the last regular expression's match, even another function's.
const lastMatch = [
  "input",
  "lastMatch",
  "lastParen",
  "leftContext",
  "rightContext",
  "$_",
  "$&",
  "$+",
  "$`",
  "$'",
  ...Array.from({ length: 9 }, (_, index) => `$${index + 1}`),
];

/** Makes weak references strong, disables finalizers, and removes state that V8 keeps between functions. */
export function hideGarbageCollection(global: vm.Context): void {
  let made: { readonly [name: string]: unknown } | null = null;
  for (const name of ["WeakRef", "FinalizationRegistry"]) {
    lazyGlobal(global, name, () => {
      made ??= strongReferences.runInContext(global) as { readonly [name: string]: unknown };
      return made[name];
    });
  }
  const regExp = global["RegExp"] as object;
  for (const name of lastMatch) Reflect.deleteProperty(regExp, name);
}
