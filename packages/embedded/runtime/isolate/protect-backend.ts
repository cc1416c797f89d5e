import { executions } from "../execution/execution.ts";
import { newestFrames } from "../execution/uncaught.ts";
import { formatWholeStack, stackFormatter } from "../source/error-stacks.ts";

/**
 * Objects of the backend's realm come into functions: what a web API returns, and the APIs themselves. Through them a function
 * could turn text into code of the backend, or change a class for everybody. This protects the backend from mistakes and
 * simple attacks. It makes no sandbox.
 */
export function protectBackend(): void {
  for (const constructor of functionConstructors()) refuseText(constructor);
  for (const prototype of [...builtInPrototypes(), ...iteratorPrototypes()]) Object.freeze(prototype);
  // Every call may use these. A getter would slow them down, and no object has own ones.
  for (const name of ["call", "apply", "bind"])
    Object.defineProperty(Function.prototype, name, { writable: false, configurable: false });
  for (const prototype of [Object.prototype, Function.prototype, Error.prototype]) keepAsItIs(prototype);
  hideBackendPaths();
}

/** Those that this realm's objects have, and functions get: what web APIs and syscalls return, and copies of structuredClone. */
function builtInPrototypes(): readonly object[] {
  const values = [
    Array,
    Promise,
    Map,
    Set,
    WeakMap,
    WeakSet,
    RegExp,
    Date,
    String,
    Number,
    Boolean,
    BigInt,
    Symbol,
  ];
  return values.map(({ prototype }) => prototype as object);
}

/** The prototypes of iterators. Loops over this realm's objects call their methods. */
function iteratorPrototypes(): readonly object[] {
  const iterators = [
    [].values(),
    new Map().values(),
    new Set().values(),
    ""[Symbol.iterator](),
    "".matchAll(/x/g),
  ];
  const ofApis = [new Headers(), new FormData(), new URLSearchParams(), new ReadableStream()].map((api) =>
    api.values(),
  );
  const generators = [(function* () {})(), (async function* () {})()];
  const all = new Set<object>();
  for (const each of [...iterators, ...ofApis, ...generators]) {
    let prototype = Object.getPrototypeOf(each) as object;
    for (; prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype) as object)
      all.add(prototype);
  }
  return [...all];
}

/**
 * Prevents changes of a prototype's properties. Unlike with a frozen prototype, objects that inherit from it may still be assigned
 * own properties with their names, as libraries do with `toString` and with the `name` of an error.
 */
function keepAsItIs(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const property = Object.getOwnPropertyDescriptor(prototype, key);
    const value = property?.value as unknown;
    if (property?.configurable !== true) continue;
    if (value === undefined) {
      // An accessor stays as it is.
      Object.defineProperty(prototype, key, { configurable: false });
      continue;
    }
    Object.defineProperty(prototype, key, {
      get: () => value,
      set(this: object, own: unknown) {
        if (this === prototype) throw new TypeError(`Cannot change the built-in property ${String(key)}.`);
        Object.defineProperty(this, key, {
          value: own,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
      enumerable: property.enumerable === true,
      configurable: false,
    });
  }
  Object.preventExtensions(prototype);
}

const formatForFunctions = stackFormatter(newestFrames);
let hidesPaths = false;

/**
 * Web APIs throw errors of this realm. A function must not read the backend's paths in their stacks. Other stacks stay as the
 * program has them, so nothing changes if Node maps them for it.
 */
export function hideBackendPaths(): void {
  if (hidesPaths || process.sourceMapsEnabled) return;
  hidesPaths = true;
  // Node's types say that there always is one.
  const { prepareStackTrace } = Error as { prepareStackTrace?: typeof Error.prepareStackTrace };
  const formatOther = prepareStackTrace?.bind(Error) ?? formatWholeStack;
  Error.prepareStackTrace = (error, sites): unknown =>
    executions.getStore() === undefined ? formatOther(error, sites) : formatForFunctions(error, sites);
}

function functionConstructors(): readonly object[] {
  const functions = [() => null, async () => null, function* () {}, async function* () {}];
  return functions.map((each) => Object.getPrototypeOf(each) as object);
}

/** Replaces the constructor that functions find in their prototype. The backend itself uses no text as code. */
function refuseText(prototype: object): void {
  const refuse = function Function(): never {
    throw new EvalError("Code generation from strings disallowed for this context");
  };
  refuse.prototype = prototype;
  Object.defineProperty(prototype, "constructor", { value: refuse });
}
