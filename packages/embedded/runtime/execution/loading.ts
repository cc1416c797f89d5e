import { AsyncLocalStorage } from "node:async_hooks";
import { ExecutionLimitError } from "./execution-time.ts";

/** Work that modules leave behind when they are loaded may take so long, in ms. */
const restMs = 1_000;

type Load = { endsAt: number };

const loads = new AsyncLocalStorage<Load>();

/** Whether the running code belongs to modules that are being loaded, or were, while no function ran. */
export function isOfLoad(): boolean {
  return loads.getStore() !== undefined;
}

/** Loads modules while no function runs. Their promises and listeners may go on for a second after that. */
export function asLoad<T>(task: () => T): T {
  // The realm limits the time of the task itself.
  const load: Load = { endsAt: Infinity };
  return loads.run(load, () => {
    try {
      return task();
    } finally {
      load.endsAt = performance.now() + restMs;
    }
  });
}

/** Throws if the running code belongs to modules that were loaded, and has no time left. */
export function checkLoad(): void {
  const load = loads.getStore();
  if (load !== undefined && performance.now() > load.endsAt)
    throw new ExecutionLimitError("Function execution timed out");
}
