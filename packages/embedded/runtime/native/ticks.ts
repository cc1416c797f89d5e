import { executions } from "../execution/execution.ts";
import { ExecutionLimitError } from "../execution/execution-time.ts";
import { fuel, refuel } from "../execution/fuel.ts";
import { checkLoad } from "../execution/loading.ts";
import type { Ticks } from "../source/bundled-script.ts";
import { executionReserve } from "./reserve.ts";

/** Fuel for the ticks of a bundle's loops. Its `refuel` and `reserve` throw if the execution must end. */
export const executionTicks: Ticks = {
  fuel,
  refuel: () => refuel(checkExecution),
  reserve: executionReserve,
};

/** Call it in the backend's own code that built-in functions could call without end. */
export function tick(): void {
  if ((fuel[0] = (fuel[0] as number) - 1) < 0) executionTicks.refuel();
}

/** Throws if the running function must end, or the modules that were loaded. Otherwise it returns true. */
export function checkExecution(): boolean {
  const execution = executions.getStore();
  if (execution === undefined) {
    checkLoad();
    return true;
  }
  if (execution.ended)
    throw execution.time.error ?? new ExecutionLimitError("The function has ended already.");
  execution.time.checkAll();
  return true;
}
