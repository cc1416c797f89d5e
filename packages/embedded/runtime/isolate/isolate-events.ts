import { AsyncLocalStorage } from "node:async_hooks";
import { executions } from "../execution/execution.ts";
import { isOfLoad } from "../execution/loading.ts";
import { takeListenerError } from "../execution/uncaught.ts";

type Listener = EventListenerOrEventListenerObject;
type Method<Options> = (
  this: EventTarget,
  type: string,
  listener: Listener | null | undefined,
  options?: Options,
) => void;
type Methods = {
  addEventListener: Method<AddEventListenerOptions>;
  removeEventListener: Method<EventListenerOptions>;
};

/** The guarded forms of listeners, by target. A target has a listener only once. */
const guards = new WeakMap<EventTarget, WeakMap<Listener, EventListener>>();

/**
 * Makes listeners that functions add belong to their function, whoever dispatches the event: a client that leaves aborts
 * `request.signal`. Their errors are logged, because Node would end the process. Listeners of the backend stay as they are.
 */
export function guardListeners(): void {
  const methods = EventTarget.prototype as unknown as Methods;
  const own = { ...methods };
  methods.addEventListener = function (type, listener, options) {
    const isOurs = executions.getStore() === undefined && !isOfLoad();
    own.addEventListener.call(this, type, isOurs ? listener : guardFor(this, listener), options);
  };
  methods.removeEventListener = function (type, listener, options) {
    const guard = isListener(listener) ? guards.get(this)?.get(listener) : undefined;
    own.removeEventListener.call(this, type, guard ?? listener, options);
  };
}

function guardFor(target: EventTarget, listener: Listener | null | undefined): typeof listener {
  if (!isListener(listener)) return listener;
  const ofTarget = guards.get(target) ?? new WeakMap<Listener, EventListener>();
  guards.set(target, ofTarget);
  const guard = ofTarget.get(listener) ?? guardOf(listener);
  ofTarget.set(listener, guard);
  return guard;
}

function isListener(value: unknown): value is Listener {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}

function guardOf(listener: Listener): EventListener {
  const runInExecution = AsyncLocalStorage.snapshot();
  return function (this: EventTarget, event) {
    runInExecution(() => {
      try {
        // If it returns a promise, that belongs to its function, not to the event.
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent(event);
      } catch (error) {
        takeListenerError(error);
      }
    });
  };
}
