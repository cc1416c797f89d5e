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

export type Scheduling = {
  /** Takes over the crons and components of newly deployed code. */
  readonly update: () => Promise<void>;
  /** Stops the work. Resolves when nothing runs anymore; call it before closing the engine. */
  readonly close: () => Promise<void>;
};

/** Starts the background work: scheduled functions, crons and the removal of old rows. */
export async function startScheduling(options: SchedulingOptions): Promise<Scheduling> {
  const { engine, runtime, onError } = options;
  const clock = (): number => engine.now();
  const tables = (): readonly string[] => runTablesOf(runtime.componentPaths);
  const shared = { engine, clock, onError };
  const scheduler = new Scheduler({ ...shared, tables, functions: runtime.scheduled });
  const crons = new Crons({ ...shared, specs: () => runtime.crons });
  await scheduler.start();
  await crons.update();
  const closeSweeper = startSweeper({
    sweep: (signal) => sweepFinished(engine, tables(), clock(), signal),
    onError,
  });
  return {
    update: async () => {
      await crons.update();
      scheduler.wake();
    },
    close: async () => {
      await Promise.all([crons.close(), scheduler.close(), closeSweeper()]);
    },
  };
}
