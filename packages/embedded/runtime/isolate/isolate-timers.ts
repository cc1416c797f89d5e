import { type ActionExecution, addTimer, executions, isTransactional } from "../execution/execution.ts";
import { fuel } from "../execution/fuel.ts";
import { checkLoad } from "../execution/loading.ts";
import { failFunction, takeUncaught } from "../execution/uncaught.ts";
import { watchList } from "../native/reserve.ts";
import { tick } from "../native/ticks.ts";

/** setTimeout and the other timers. They fail queries and mutations, and stop when their action ends. */
export const requestedTimers = {
  queueMicrotask: (callback: () => void): void => {
    fuel[1] = (fuel[1] as number) + 1;
    tick();
    queueMicrotask(guarded(callback));
  },
  setTimeout: (callback: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]): number =>
    inAction("setTimeout", (action) => {
      const timer = setTimeout(() => {
        action.timers.delete(timer);
        guarded(callback)(...args);
      }, delayMs);
      return timer;
    }),
  setInterval: (callback: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]): number =>
    inAction("setInterval", () => setInterval(guarded(callback), delayMs, ...args)),
  clearTimeout: forget,
  clearInterval: forget,
};

/** The number of a timer that never fires: one of a query, a mutation or an action that has ended. */
const noTimer = 0;

/**
 * Makes a signal with a time limit fail queries and mutations, as the other timers do, and lets a list of signals be ended. The
 * backend uses the same class.
 */
export function guardSignals(): void {
  const own = AbortSignal.timeout.bind(AbortSignal);
  const timeout = (delayMs: number): AbortSignal => {
    const execution = executions.getStore();
    if (execution === undefined || !isTransactional(execution)) return own(delayMs);
    refuseTimer("AbortSignal.timeout");
    return new AbortController().signal;
  };
  const combine = AbortSignal.any.bind(AbortSignal);
  const any = (signals: AbortSignal[]): AbortSignal => combine(watchList(signals));
  Object.defineProperties(AbortSignal, { timeout: { value: timeout }, any: { value: any } });
}

type Started = (...args: never[]) => unknown;

/** A function that starts a timer. Queries and mutations that call it fail, and it throws. */
export function asTimer(name: string, start: Started): Started {
  return (...args) => {
    const execution = executions.getStore();
    if (execution !== undefined && isTransactional(execution)) throw refuseTimer(name);
    return start(...args);
  };
}

/** Fails a query or a mutation. As on Convex, it cannot catch the error. */
function refuseTimer(name: string): Error {
  const error = new Error(
    `Can't use ${name} in queries and mutations. Please consider using an action. ` +
      "See https://docs.convex.dev/functions/actions for more details.",
  );
  failFunction(error);
  return error;
}

/** Starts a timer in an action. A query or a mutation fails. */
function inAction(name: string, start: (action: ActionExecution) => NodeJS.Timeout): number {
  const execution = executions.getStore();
  if (execution === undefined) throw new Error(`Can't use ${name} while a module is loaded.`);
  if (isTransactional(execution)) {
    refuseTimer(name);
    return noTimer;
  }
  if (execution.ended) return noTimer;
  const timer = start(execution);
  addTimer(execution, timer);
  // Web timers are numbers. Node's timers convert to a number that clears them.
  return Number(timer);
}

/** Nothing else catches errors of a callback. A function that has no memory or time left fails at its next timer. */
function guarded<A extends unknown[]>(callback: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      executions.getStore()?.time.check();
      checkLoad();
      callback(...args);
    } catch (error) {
      takeUncaught(error);
    }
  };
}

function forget(id: number | undefined): void {
  if (id !== undefined) clearTimeout(id);
}
