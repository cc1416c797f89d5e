import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { endOnce } from "../native/end-in-time.ts";
import { reserveElements } from "../native/reserve.ts";
import { wasmProblem } from "../native/wasm-module.ts";
import { lazyGlobal } from "./lazy-global.ts";

/** The most elements of a table. By default these would be ten million. */
const mostOfTable = 2 ** 20;
setFlagsFromString(`--wasm-max-table-size=${String(mostOfTable)}`);

/** Watching a call takes about 0.1 ms. */
const alwaysWatched = 1_000;
/** Of the later calls, one in so many is watched. */
const laterWatched = 64;

/**
 * Runs in the realm. Functions that WebAssembly exports are replaced where JavaScript gets them. A table takes only functions of
 * WebAssembly, so it gets them back.
 */
const guards = new vm.Script(`((watch, problemOf, measure) => {
  "use strict";
  const { CompileError, Instance, Module, Table, compile } = WebAssembly;
  const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const plain = new WeakMap();
  const watched = new WeakMap();
  const guarded = (value) => {
    if (typeof value !== "function") return value;
    if (!watched.has(value)) {
      const guard = { [value.name](...args) { return watch(() => apply(value, this, args)); } }[value.name];
      defineProperty(guard, "length", { value: value.length });
      watched.set(value, guard);
      plain.set(guard, value);
    }
    return watched.get(value);
  };
  const replace = (owner, name, make) => {
    const own = getOwnPropertyDescriptor(owner, name);
    defineProperty(owner, name, "value" in own ? { ...own, value: make(own.value) } : { ...own, get: make(own.get) });
  };
  const exportsOf = new WeakMap();
  replace(Instance.prototype, "exports", (own) => function () {
    const exports = apply(own, this, []);
    if (!exportsOf.has(exports)) {
      const entries = Object.entries(exports).map(([name, value]) => [name, { value: guarded(value), enumerable: true }]);
      exportsOf.set(exports, Object.freeze(Object.create(null, Object.fromEntries(entries))));
    }
    return exportsOf.get(exports);
  });
  replace(Table.prototype, "get", (own) => function get(...args) { return guarded(apply(own, this, args)); });
  for (const [name, at] of [["set", 1], ["grow", 1]]) {
    replace(Table.prototype, name, (own) => ({ [name](...args) {
      if (name === "grow") measure();
      if (plain.has(args[at])) args[at] = plain.get(args[at]);
      return apply(own, this, args);
    } })[name]);
  }
  const constructing = (own, construct) => {
    const guard = new Proxy(own, { construct });
    replace(WebAssembly, own.name, () => guard);
    defineProperty(own.prototype, "constructor", { value: guard });
    return guard;
  };
  // A module's start function runs while its instance is made.
  const WatchedInstance = constructing(Instance, (target, args, newTarget) => {
    measure();
    return watch(() => construct(target, args, newTarget));
  });
  constructing(Table, (target, args, newTarget) => {
    measure();
    return construct(target, args, newTarget);
  });
  const check = (source, caller) => {
    const problem = problemOf(source);
    if (problem !== null) throw new CompileError("WebAssembly." + caller + "(): " + problem);
  };
  constructing(Module, (target, args, newTarget) => {
    check(args[0], "Module");
    return construct(target, args, newTarget);
  });
  replace(WebAssembly, "compile", (own) => ({ async compile(source) {
    check(source, "compile");
    return await own(source);
  } }).compile);
  replace(WebAssembly, "instantiate", () => async function instantiate(source, imports) {
    if (source instanceof Module) return new WatchedInstance(source, imports);
    check(source, "instantiate");
    const module = await compile(source);
    return { module, instance: new WatchedInstance(module, imports) };
  });
})`);

/** Lets WebAssembly that does not return be ended in time: its loops have no ticks. */
export function watchWasm(global: vm.Context): void {
  const wasm: unknown = global["WebAssembly"];
  const make = (): unknown => {
    // The guards run where `WebAssembly` is still the built-in one.
    Object.defineProperty(global, "WebAssembly", { value: wasm, writable: true, configurable: true });
    const install = guards.runInContext(global) as (
      watch: <T>(call: () => T) => T,
      problemOf: typeof wasmProblem,
      measure: () => void,
    ) => void;
    install(callWatcher(), wasmProblem, () => reserveElements(mostOfTable));
    return wasm;
  };
  lazyGlobal(global, "WebAssembly", make);
}

/** Calls within a watched one are watched with it. */
function callWatcher(): <T>(call: () => T) => T {
  let calls = 0;
  let isWithin = false;
  return (call) => {
    if (isWithin) return call();
    calls += 1;
    if (calls > alwaysWatched && calls % laterWatched !== 0) return call();
    isWithin = true;
    try {
      return endOnce(call);
    } finally {
      isWithin = false;
    }
  };
}
