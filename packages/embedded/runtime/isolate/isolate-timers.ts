import { type ActionExecution, executions, isTransactional } from "../execution/execution.ts";
import { takeUncaught } from "../execution/uncaught.ts";

/** setTimeout and the other timers. They are refused in queries and mutations, and stop when their action ends. */
export const requestedTimers = {
  queueMicrotask: (callback: () => void): void => queueMicrotask(guarded(callback)),
  setTimeout: (callback: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]): number => {
    const action = requireAction("setTimeout");
    const timer = setTimeout(() => {
      action.timers.delete(timer);
      guarded(callback)(...args);
    }, delayMs);
    return remember(action, timer);
  },
  setInterval: (callback: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]): number =>
    remember(requireAction("setInterval"), setInterval(guarded(callback), delayMs, ...args)),
  clearTimeout: forget,
  clearInterval: forget,
};

function requireAction(name: string): ActionExecution {
  const execution = executions.getStore();
  if (execution === undefined) throw new Error(`Can't use ${name} while a module is loaded.`);
  if (isTransactional(execution)) {
    throw new Error(
      `Can't use ${name} in queries and mutations. Please consider using an action. ` +
        "See https://docs.convex.dev/functions/actions for more details.",
    );
  }
  return execution;
}

function remember(action: ActionExecution, timer: NodeJS.Timeout): number {
  action.timers.add(timer);
  // Web timers are numbers. Node's timers convert to a number that clears them.
  return Number(timer);
}

/** Nothing else catches errors of a callback. */
function guarded<A extends unknown[]>(callback: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      takeUncaught(error);
    }
  };
}

function forget(id: number | undefined): void {
  if (id !== undefined) clearTimeout(id);
}
