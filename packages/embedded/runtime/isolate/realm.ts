import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { ComponentVariables } from "../components/component-variables.ts";
import type { ConvexGlobal } from "../contract/convex-global.ts";
import { asLoad } from "../execution/loading.ts";
import { installStackFormatter, stackFormatter } from "../source/error-stacks.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { limitBulk } from "./isolate-bulk.ts";
import { functionClock, installDeterminism, type LoadingState } from "./isolate-determinism.ts";
import { sharedGlobals } from "./isolate-globals.ts";
import { asTimer } from "./isolate-timers.ts";
import { watchWasm } from "./isolate-wasm.ts";
import { freezeMethods } from "./protect-backend.ts";
import { bridgeRealms } from "./realm-bridge.ts";

// To display an error, Node reads its stack, which no time limit covers.
const loadingOptions = { timeout: 10_000, displayErrors: false };
const taskGlobal = "__convexTask";
const runTask = new vm.Script(`globalThis.${taskGlobal}()`);

// A tick cannot be put into a regular expression. One that backtracks too much continues in V8's linear engine,
// unless it has a back reference or a look-around.
setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");

// V8 compiles a function early that it has optimized before, which is a loss in a world of one short run. Without that, a
// query with a fresh world takes half the processor time.
setFlagsFromString("--no-profile-guided-optimization");

export type RealmDeps = {
  readonly convex: ConvexGlobal;
  readonly env: ComponentVariables;
  /** The time that functions see, in ms. */
  readonly now: () => number;
  readonly loading: LoadingState;
  readonly mapStack: StackMapper;
};

/**
 * A JavaScript realm: a global object and built-in objects of its own, with the globals of Convex's default runtime and none
 * of Node's. It is not a sandbox against attackers: the code is the operator's own.
 */
export class Realm {
  /** The component whose code runs here. */
  component: ComponentPath = appComponent;
  readonly #global: vm.Context;

  /** Takes about half a millisecond. */
  constructor({ convex, env, now, loading, mapStack }: RealmDeps) {
    // If we passed a global object, each access of `JSON` or `Object` would cross into Node.
    // As on Convex, no text becomes code.
    const global = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
      codeGeneration: { strings: false, wasm: true },
    });
    this.#global = global;
    const functionNow = functionClock(now, loading);
    const shared = sharedGlobals(() => env(this.component), functionNow);
    freezeMethods(convex);
    Object.assign(global, { Convex: { ...convex }, ...shared });
    global["self"] = global["globalThis"] as unknown;
    forbidWaiting(global);
    installStackFormatter(global["Error"] as object, stackFormatter(mapStack));
    bridgeRealms(global);
    installDeterminism(global, functionNow, now(), loading);
    limitBulk(global);
    watchWasm(global);
  }

  /** Returns the value of a script. */
  evaluate(script: vm.Script): unknown {
    return script.runInContext(this.#global, { displayErrors: false });
  }

  /** Runs a task that may run the developer's code while no function runs. Throws if it takes longer than 10 s. */
  whileLoading<T>(task: () => T): T {
    this.#global[taskGlobal] = task;
    try {
      return asLoad(() => runTask.runInContext(this.#global, loadingOptions) as T);
    } finally {
      Reflect.deleteProperty(this.#global, taskGlobal);
    }
  }
}

/** All functions run on one thread, so it must not wait for another. A wait with a limit is a timer. */
function forbidWaiting(global: vm.Context): void {
  const wait = (): never => {
    throw new TypeError("Atomics.wait cannot be called in this context");
  };
  const atomics = global["Atomics"] as typeof Atomics;
  const { waitAsync } = atomics;
  Object.defineProperty(atomics, "wait", { value: wait });
  Object.defineProperty(atomics, "waitAsync", { value: asTimer("Atomics.waitAsync", waitAsync) });
}
