import { executions } from "../execution/execution.ts";
import { newestFrames } from "../execution/uncaught.ts";
import { guardRepeatable } from "../native/backend-guards.ts";
import { formatWholeStack, stackFormatter } from "../source/error-stacks.ts";
import { watchStreamLists } from "./isolate-streams.ts";

/**
 * Objects of the backend's realm come into functions: what a web API returns, and the APIs themselves. Through them a function
 * could turn text into code of the backend, or change a class for everybody. This protects the backend from mistakes and
 * simple attacks. It makes no sandbox.
 */
export function protectBackend(): void {
  hideBackendPaths();
  watchStreamLists();
  guardRepeatable();
  for (const constructor of functionConstructors()) refuseText(constructor);
  for (const prototype of [...builtInPrototypes(), ...iteratorPrototypes(), ...internalPrototypes()])
    freezeWithMethods(prototype);
  freezeMethods(new Error());
  // Every call may use these. A getter would slow them down, and no object has own ones.
  for (const name of ["call", "apply", "bind"])
    Object.defineProperty(Function.prototype, name, { writable: false, configurable: false });
  for (const prototype of [Object.prototype, Function.prototype, Error.prototype]) {
    freezeMethods(prototype);
    keepAsItIs(prototype);
    // They have getters now.
    freezeMethods(prototype);
  }
  // Each object leads to its constructor. The backend itself calls `Object.keys` and `Promise.all`.
  for (const constructor of [Object, Function, ...builtIns, ...errors]) freezeWithMethods(constructor);
  for (const prototype of functionConstructors())
    if (prototype !== Function.prototype) freezeWithMethods(prototype);
}

/** Those that this realm's objects have, and functions get: what web APIs and syscalls return, and copies of structuredClone. */
const builtIns = [
  Array,
  BigInt,
  Boolean,
  Date,
  Map,
  Number,
  Promise,
  RegExp,
  Set,
  String,
  Symbol,
  WeakMap,
  WeakSet,
] as const;

const errors = [
  Error,
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
] as const;

function builtInPrototypes(): readonly object[] {
  return [...builtIns, ...errors.slice(1)].map(({ prototype }) => prototype as object);
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

/** The prototypes of what Node keeps in objects of web APIs, under symbols. All streams share them. */
function internalPrototypes(): readonly object[] {
  const known = new Set<unknown>([
    null,
    ...Object.values(Object.getOwnPropertyDescriptors(globalThis)).map(prototypeOf),
  ]);
  const found = new Set<object>();
  const seen = new Set<unknown>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value) || known.has(value)) return;
    seen.add(value);
    for (let each = Reflect.getPrototypeOf(value); each !== null; each = Reflect.getPrototypeOf(each))
      if (!known.has(each)) found.add(each);
    for (const key of Reflect.ownKeys(value)) {
      const part: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
      if (typeof part === "function") Object.freeze(part);
      look(part);
    }
  };
  for (const sample of samples()) look(sample);
  return [...found];
}

function prototypeOf({ value }: PropertyDescriptor): unknown {
  return typeof value === "function" ? (value as { prototype?: unknown }).prototype : undefined;
}

function samples(): readonly object[] {
  const bytes = new ReadableStream({ type: "bytes" });
  const [readable, writable] = [new ReadableStream(), new WritableStream()];
  return [
    ...[
      bytes,
      bytes.getReader({ mode: "byob" }),
      readable,
      readable.getReader(),
      writable,
      writable.getWriter(),
    ],
    ...[new TransformStream(), new TextDecoderStream(), new TextEncoderStream()],
    ...[new Blob(["x"]), new Response("x"), new Request("http://localhost"), new Headers(), new FormData()],
    ...[new URL("http://localhost"), new URLSearchParams(), new AbortController(), new Event("x")],
    ...[new TextDecoder(), new TextEncoder()],
  ];
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

/** Freezes an object that all realms share, with its functions. Through a property of a function one run could change another. */
export function freezeWithMethods(shared: object): void {
  freezeMethods(shared);
  Object.freeze(shared);
}

/** Freezes the functions of an object: methods, getters and setters. */
export function freezeMethods(shared: object): void {
  for (const key of Reflect.ownKeys(shared)) {
    // That of `Function` is a function itself. Objects that inherit from a frozen one cannot have all properties.
    if (key === "prototype") continue;
    const property: object = Object.getOwnPropertyDescriptor(shared, key) ?? {};
    for (const each of Object.values(property) as readonly unknown[])
      if (typeof each === "function") freezeFunction(each);
  }
}

/** Freezes a function, and the prototype that it has if it is no class. */
function freezeFunction(value: object): void {
  Object.freeze(value);
  const prototype: unknown = Object.getOwnPropertyDescriptor(value, "prototype")?.value;
  if (typeof prototype === "object" && prototype !== null && Reflect.ownKeys(prototype).length === 1)
    Object.freeze(prototype);
}
