import { AsyncLocalStorage as NodeStorage } from "node:async_hooks";
import { type Execution, executions } from "../execution/execution.ts";
import { tick } from "../native/ticks.ts";

type Values = ReadonlyMap<object, unknown>;
type Callback = (this: unknown, ...args: unknown[]) => unknown;

/**
 * The values of all storages. They are apart from the execution: a function that could restore another context as a whole
 * would leave its execution, and its limits.
 */
const contexts = new NodeStorage<{ readonly execution: Execution | undefined; readonly values: Values }>();

function present(): Values | undefined {
  const context = contexts.getStore();
  return context?.execution === executions.getStore() ? context?.values : undefined;
}

function contextOf(values: Values = new Map()) {
  return { execution: executions.getStore(), values };
}

function runIn(values: Values | undefined, self: unknown, callback: Callback, args: unknown[]): unknown {
  tick();
  return contexts.run(contextOf(values), () =>
    Reflect.apply<unknown, unknown[], unknown>(callback, self, args),
  );
}

function checkCallback(callback: unknown): void {
  if (typeof callback !== "function") throw new TypeError("fn must be a function");
}

/** Convex's class of this name, which has the methods of Node's. */
export class AsyncLocalStorage {
  #isDisabled = false;

  static bind(callback: Callback): Callback {
    checkCallback(callback);
    const restore = AsyncLocalStorage.snapshot();
    return (...args) => restore(callback, ...args);
  }

  static snapshot(): (callback: Callback, ...args: unknown[]) => unknown {
    const values = present();
    return (callback, ...args) => runIn(values, undefined, callback, args);
  }

  run(store: unknown, callback: Callback, ...args: unknown[]): unknown {
    this.#isDisabled = false;
    return runIn(this.#with(store), undefined, callback, args);
  }

  exit(callback: Callback, ...args: unknown[]): unknown {
    return this.run(undefined, callback, ...args);
  }

  enterWith(store: unknown): void {
    this.#isDisabled = false;
    contexts.enterWith(contextOf(this.#with(store)));
  }

  disable(): void {
    this.#isDisabled = true;
  }

  getStore(): unknown {
    return this.#isDisabled ? undefined : present()?.get(this);
  }

  #with(store: unknown): Values {
    return new Map(present()).set(this, store);
  }
}

/** Convex's class of this name. It keeps the values of the place where it was made. */
export class AsyncResource {
  readonly type: string;
  readonly #values = present();

  constructor(type: string) {
    if (typeof type !== "string") throw new TypeError("type must be a string");
    this.type = type;
  }

  static bind(callback: Callback, type?: string, self?: unknown): Callback {
    checkCallback(callback);
    return new AsyncResource(type ?? (callback.name || "bound-anonymous-fn")).bind(callback, self);
  }

  bind(callback: Callback, self?: unknown): Callback {
    checkCallback(callback);
    const values = this.#values;
    return function (...args) {
      return runIn(values, self ?? this, callback, args);
    };
  }

  runInAsyncScope(callback: Callback, self?: unknown, ...args: unknown[]): unknown {
    return runIn(this.#values, self, callback, args);
  }
}
