import type { Engine, Transaction } from "../engine/model/types.ts";
import { transact } from "../engine/transact/transact.ts";
import { DueLoop } from "./due-loop.ts";
import {
  getScheduled,
  type ScheduledFunction,
  type ScheduledState,
  setScheduledState,
} from "./scheduled-function.ts";
import { pendingInOrder, scheduledInState } from "./scheduled-queries.ts";

/** Outcome of a scheduled function. */
type RunResult = { readonly kind: "success" } | { readonly kind: "failure"; readonly message: string };

type FunctionType = "Query" | "Mutation" | "Action";

/** Runs functions for the scheduler; the runtime implements it. Scheduled functions have no user. */
export interface ScheduledFunctionRunner {
  /** The function's present type; null if it no longer exists. */
  typeOf(job: Pick<ScheduledFunction, "component" | "name">): FunctionType | null;
  /**
   * Runs a mutation and moves its row to the final state in the same transaction. `conflicted` means that
   * nothing was written.
   */
  runMutation(job: ScheduledFunction): Promise<{ readonly kind: "finished" | "skipped" | "conflicted" }>;
  /** Runs an action. The caller updates its row. */
  runAction(job: ScheduledFunction): Promise<RunResult>;
}

type SchedulerOptions = {
  readonly engine: Engine;
  readonly functions: ScheduledFunctionRunner;
  /** The engine's names for the tables to run: the app's and those of the components that are installed now. */
  readonly tables: () => readonly string[];
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
  /** Most scheduled functions to run at once. */
  readonly concurrency?: number;
};

const defaultConcurrency = 16;
const graceMs = 3_000;
const interruptedMessage = "Transient error while executing action";

type Postponed = { readonly until: number; readonly failures: number };

/**
 * Runs the functions of `_scheduled_functions` and `_cron_runs` when they are due: mutations exactly once,
 * actions at most once. After a crash, pending functions run, and actions that were in progress count as
 * failed.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #loop: DueLoop;
  readonly #running = new Map<string, Promise<void>>();
  /** Rows whose runs conflicted on every attempt, with the time of the next try. */
  readonly #postponed = new Map<string, Postponed>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#loop = new DueLoop(options, (transaction, now) => this.#look(transaction, now));
  }

  async start(): Promise<void> {
    const { engine, tables } = this.#options;
    await transact(engine, (transaction) => {
      const interrupted = tables().flatMap((table) => scheduledInState(transaction, "inProgress", table));
      for (const { id } of interrupted) {
        setScheduledState(transaction, id, { kind: "failed", error: interruptedMessage });
      }
    });
    this.wake();
  }

  /** Looks for due functions now. */
  wake(): void {
    this.#loop.wake();
  }

  /** Starts nothing more and waits a while for running functions. Actions that take longer count as failed. */
  async close(): Promise<void> {
    this.#loop.close();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => (timer = setTimeout(resolve, graceMs)));
    await Promise.race([Promise.all(this.#running.values()), grace]);
    clearTimeout(timer);
  }

  #look(transaction: Transaction, now: number): number | null {
    const { tables, concurrency = defaultConcurrency } = this.#options;
    let lookAgain: number | null = null;
    for (const job of pendingInOrder(transaction, tables())) {
      const dueAt = Math.max(job.scheduledTime, this.#postponed.get(job.id)?.until ?? 0);
      if (dueAt > now) lookAgain = Math.min(lookAgain ?? Infinity, dueAt);
      if (job.scheduledTime > now) break;
      if (dueAt > now || this.#running.has(job.id)) continue;
      // The end of any run wakes the loop again.
      if (this.#running.size >= concurrency) break;
      this.#running.set(job.id, this.#run(job));
    }
    return lookAgain;
  }

  async #run(job: ScheduledFunction): Promise<void> {
    try {
      const done = await this.#runByType(job);
      if (done) this.#postponed.delete(job.id);
      else this.#postpone(job.id);
    } catch (error) {
      this.#postpone(job.id);
      this.#options.onError(error);
    } finally {
      this.#running.delete(job.id);
      this.#loop.wake();
    }
  }

  /** False if the run could not be committed, so that the row is still pending. */
  async #runByType(job: ScheduledFunction): Promise<boolean> {
    const { functions } = this.#options;
    const type = functions.typeOf(job);
    switch (type) {
      case "Mutation":
        return (await functions.runMutation(job)).kind !== "conflicted";
      case "Action":
        await this.#runAction(job);
        return true;
      case "Query":
      case null:
        await this.#move(job.id, "pending", { kind: "failed", error: unfit(job.name, type) });
        return true;
    }
  }

  async #runAction(job: ScheduledFunction): Promise<void> {
    // Store the state before the action starts: a crash must not let it run twice.
    if (!(await this.#move(job.id, "pending", { kind: "inProgress" }))) return;
    const result = await this.#options.functions.runAction(job).catch((error: unknown) => {
      this.#options.onError(error);
      return { kind: "failure" as const, message: interruptedMessage };
    });
    await this.#move(
      job.id,
      "inProgress",
      result.kind === "success" ? { kind: "success" } : { kind: "failed", error: result.message },
    );
  }

  /** Moves a row from one state to another; false if it is not in the first. */
  #move(id: string, from: ScheduledState["kind"], to: ScheduledState): Promise<boolean> {
    return transact(this.#options.engine, (transaction) => {
      if (getScheduled(transaction, id)?.state.kind !== from) return false;
      setScheduledState(transaction, id, to);
      return true;
    });
  }

  #postpone(id: string): void {
    const failures = (this.#postponed.get(id)?.failures ?? 0) + 1;
    this.#postponed.set(id, { until: this.#options.clock() + retryDelayMs(failures), failures });
  }
}

/** Describes a function that cannot run. It was changed after it was scheduled, or was a query all along. */
function unfit(udfPath: string, type: "Query" | null): string {
  const [module, name] = udfPath.split(":");
  return type === null
    ? `Couldn't find "${name}" in module "${module}".`
    : `Unsupported function type. "${name}" in module "${module}" is defined as a ${type}. Only Mutation and Action ` +
        "can be scheduled.";
}

const firstMs = 1_000;
const longestMs = 60_000;

/** Delay before retrying a run that could not be committed, in ms. It grows with the number of failures. */
function retryDelayMs(failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}
