import { msPerTick, ticksOf } from "./process-tree.ts";

/** Processor time of the measured processes, ms: user and system. */
export type ProcessorTime = {
  readonly backend: number;
  readonly workers: number;
  readonly submitter: number;
  readonly all: number;
};

type Processes = { readonly backend: number; readonly workers: readonly number[] };

/** The processor time so far. This process is the submitter. Null where /proc is missing, so outside Linux. */
export function processorTime({ backend, workers }: Processes): ProcessorTime | null {
  if (process.platform !== "linux") return null;
  const backendMs = ticksOf([backend]) * msPerTick;
  const workersMs = ticksOf(workers) * msPerTick;
  const { user, system } = process.cpuUsage();
  const submitterMs = (user + system) / 1000;
  return {
    backend: backendMs,
    workers: workersMs,
    submitter: submitterMs,
    all: backendMs + workersMs + submitterMs,
  };
}

/** The difference between two readings for each of `jobs`. Null if either reading is. */
export function processorTimePerJob(
  before: ProcessorTime | null,
  after: ProcessorTime | null,
  jobs: number,
): ProcessorTime | null {
  if (before === null || after === null) return null;
  return {
    backend: (after.backend - before.backend) / jobs,
    workers: (after.workers - before.workers) / jobs,
    submitter: (after.submitter - before.submitter) / jobs,
    all: (after.all - before.all) / jobs,
  };
}
