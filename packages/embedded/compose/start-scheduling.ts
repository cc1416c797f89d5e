import type { Engine } from "../engine/model/types.ts";
import { startSweeper } from "../engine/transact/sweeper.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import { Crons } from "../scheduler/cron/crons.ts";
import { runTablesOf } from "../scheduler/scheduled-function.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { sweepFinished } from "../scheduler/sweep-finished.ts";

type SchedulingOptions = {
  readonly engine: Engine;
  readonly runtime: Pick<FunctionRuntime, "scheduled" | "crons" | "componentPaths">;
  /** Called for errors in the background. The work is retried. */
  readonly onError: (error: unknown) => void;
};

/**
 * Starts the background work: scheduled functions, crons and the removal of old rows. The returned function
 * stops it and resolves when nothing runs anymore; call it before closing the engine.
 */
export async function startScheduling(options: SchedulingOptions): Promise<() => Promise<void>> {
  const { engine, runtime, onError } = options;
  const clock = (): number => engine.now();
  const tables = runTablesOf(runtime.componentPaths);
  const shared = { engine, clock, onError, tables };
  const scheduler = new Scheduler({ ...shared, functions: runtime.scheduled });
  const crons = new Crons({ ...shared, specs: runtime.crons });
  await scheduler.start();
  await crons.start();
  const closeSweeper = startSweeper({
    sweep: (signal) => sweepFinished(engine, tables, clock(), signal),
    onError,
  });
  return async () => {
    await Promise.all([crons.close(), scheduler.close(), closeSweeper()]);
  };
}
