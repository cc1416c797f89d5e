import type { Engine, Transaction } from "../../engine/model/types.ts";
import { transact } from "../../engine/transact/transact.ts";
import { parseFunctionPath, udfPathOf } from "../../names/function-path.ts";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import { canonicalJson } from "../../values/canonical-json.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import { DueLoop } from "../due-loop.ts";
import {
  cronRunTableOf,
  getScheduled,
  insertScheduled,
  isFinal,
  type NewScheduledFunction,
} from "../scheduled-function.ts";
import { type CronJob, cronTable, formatCronJob, parseCronJob } from "./cron-job.ts";
import type { CronSpec } from "./cron-spec.ts";
import { firstRun, nextRun } from "./next-run.ts";

type CronsOptions = {
  readonly engine: Engine;
  /** The jobs of the present code. */
  readonly specs: () => readonly CronSpec[];
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
};

/**
 * Schedules the functions of the bundle's `crons.ts` as they come due. One transaction adds the run's
 * `_cron_runs` row and moves the job to its next time, so a crash neither loses nor repeats a run.
 */
export class Crons {
  readonly #options: CronsOptions;
  readonly #loop: DueLoop;
  readonly #advancing = new Map<string, Promise<void>>();

  constructor(options: CronsOptions) {
    this.#options = options;
    this.#loop = new DueLoop(options, (transaction, now) => this.#look(transaction, now));
  }

  /** Takes over the jobs of the present code. Unchanged jobs keep their next time. */
  async update(): Promise<void> {
    const { engine, specs, clock } = this.#options;
    await transact(engine, (transaction) => reconcileCrons(transaction, specs(), clock()));
    this.#loop.wake();
  }

  async close(): Promise<void> {
    this.#loop.close();
    await Promise.all(this.#advancing.values());
  }

  #look(transaction: Transaction, now: number): number | null {
    const scan = transaction.scan(fullRange(cronTable.name, "by_next_time"), "asc");
    for (let entry = scan.next(); entry !== null; entry = scan.next()) {
      const job = parseCronJob(entry.document);
      if (job.nextTime > now) return job.nextTime;
      if (!this.#advancing.has(job.id)) this.#advancing.set(job.id, this.#advance(job.id));
    }
    return null;
  }

  async #advance(id: string): Promise<void> {
    const { engine, clock, onError } = this.#options;
    try {
      await transact(engine, (transaction) => advanceCron(transaction, id, clock()));
    } catch (error) {
      onError(error);
    } finally {
      this.#advancing.delete(id);
      this.#loop.wake();
    }
  }
}

/** Makes the table hold exactly these jobs. A changed job starts over. */
export function reconcileCrons(transaction: Transaction, specs: readonly CronSpec[], now: number): void {
  const wanted = new Map(specs.map((spec) => [keyOf(spec), spec]));
  for (const job of allCrons(transaction)) {
    const spec = wanted.get(keyOf(job.spec));
    if (spec !== undefined && isSame(spec, job.spec)) wanted.delete(keyOf(spec));
    else transaction.remove(job.id);
  }
  for (const spec of wanted.values()) {
    const nextTime = firstRun(spec, now);
    transaction.insert(cronTable.name, formatCronJob({ spec, nextTime, lastRun: null }));
  }
}

/** Schedules a due job's function and moves the job to its next time. Skips the run if the last one has not ended. */
export function advanceCron(transaction: Transaction, id: string, now: number): void {
  const document = transaction.get(id);
  if (document === null) return;
  const { spec, nextTime, lastRun } = parseCronJob(document);
  if (nextTime > now) return;
  const last = lastRun === null ? null : getScheduled(transaction, lastRun);
  const isRunning = last !== null && !isFinal(last.state);
  const run = isRunning
    ? lastRun
    : insertScheduled(transaction, cronRunTableOf(ownerOf(spec)), scheduledRun(spec, nextTime));
  transaction.replace(id, formatCronJob({ spec, nextTime: nextRun(spec, nextTime, now), lastRun: run }));
}

function scheduledRun(spec: CronSpec, scheduledTime: number): NewScheduledFunction {
  const { function: name, args } = spec;
  const path = parseFunctionPath(name);
  return { component: ownerOf(spec), name: path === null ? name : udfPathOf(path), args, scheduledTime };
}

function ownerOf({ component = appComponent }: CronSpec): ComponentPath {
  return component;
}

function keyOf(spec: CronSpec): string {
  return JSON.stringify([ownerOf(spec), spec.identifier]);
}

function allCrons(transaction: Transaction): readonly CronJob[] {
  const scan = transaction.scan(fullRange(cronTable.name, "by_creation_time"), "asc");
  const jobs: CronJob[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) jobs.push(parseCronJob(entry.document));
  return jobs;
}

// Stored documents may be read with their fields in another order.
function isSame(a: CronSpec, b: CronSpec): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
