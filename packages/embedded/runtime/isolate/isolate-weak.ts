/** Runs in the context: what its functions see of the garbage collector would differ from run to run. */
const strongReferences = `
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
})()`;

// What the last regular expression has matched, whoever's it was.
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

/** Makes weak references strong, keeps finalizers from running, and forgets what V8 remembers between functions. */
export function hideGarbageCollection(
  context: { [name: string]: unknown },
  intrinsic: (code: string) => unknown,
): void {
  for (const [name, value] of Object.entries(intrinsic(strongReferences) as object)) {
    Object.defineProperty(context, name, { value, writable: true, configurable: true });
  }
  const regExp = intrinsic("RegExp") as object;
  for (const name of lastMatch) Reflect.deleteProperty(regExp, name);
  Reflect.deleteProperty(intrinsic("Intl") as object, "v8BreakIterator");
}
