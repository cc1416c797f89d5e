import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "../fleet/fleet.ts";
import { sharedNow } from "../fleet/messages.ts";
import { type Latency, type Site, withSite } from "../fleet/site.ts";
import type { SideName } from "../side.ts";
import { type Collisions, collisionsOf } from "../support/admin.ts";
import { type ProcessorTime, processorTimePerJob } from "../support/processor-time.ts";
import { between, totalsOf, type Usage, usageOf } from "../support/usage.ts";
import type { ContentionFigures } from "./figures.ts";

export type Load = {
  readonly workers: number;
  /** The most jobs. */
  readonly jobs: number;
  /** A slow machine submits only the jobs that it can submit in this time. */
  readonly withinMs: number;
  /** The duration of each job. */
  readonly jobMs: number;
  /** Concurrent submitters. Each submits one job after the other. */
  readonly submitters: number;
  /** Jobs before the measured ones, to the workers that wait. Until then most code of the backend is not compiled. */
  readonly warmUp: { readonly jobs: number; readonly withinMs: number };
  /** Whether all jobs are queued before the workers start. Otherwise they arrive while the workers wait. */
  readonly queuedFirst?: boolean;
};

export const usualLoad: Load = {
  workers: 200,
  jobs: 5_000,
  withinMs: 35_000,
  jobMs: 20,
  submitters: 16,
  warmUp: { jobs: 1_000, withinMs: 8_000 },
};
/** Without latency there are fewer collisions, so fewer jobs are enough. */
export const loadAtZero: Load = { ...usualLoad, jobs: 2_500, withinMs: 25_000 };

export type ContentionRun = ContentionFigures & {
  /** The jobs that were submitted. */
  readonly jobs: number;
  readonly exhausted: number;
  readonly queryRunsPerJob: number;
  readonly callsPerJob: number;
  /** From the first submission until all workers are idle. Null outside Linux. */
  readonly cpuMsPerJob: ProcessorTime | null;
  /** Further starts of jobs. On a busy machine a worker may start a job too late, so that it goes to another worker. */
  readonly startedAgain: number;
  /** The messages of the workers' first failures. */
  readonly failures: readonly string[];
  /** The functions that collided, and the index ranges. */
  readonly collisions: Collisions;
};

type Progress = { completed: number; firstAt: number; lastAt: number };

/** While workers run, at most so many jobs per worker are open, so that a slow side has few left at the end. */
const openPerWorker = 2;
/** A run without a completion for this long counts as stuck. */
const stuckMs = 60_000;
const startSpreadMs = 1_000;

/** Submits jobs before or while the workers run and waits for the last. Throws unless each job was done exactly once. */
export function measureContention(
  name: SideName,
  folder: string,
  latency: Latency,
  load: Load,
): Promise<ContentionRun> {
  return withSite(name, folder, latency, async (site) => {
    const starts = new Map<number, number>();
    const progress: Progress = { completed: 0, firstAt: Infinity, lastAt: sharedNow() };
    const startWorkers = (): Promise<Fleet> =>
      site.startWorkers(
        load.workers,
        {
          onStarted: (number, at) => {
            starts.set(number, (starts.get(number) ?? 0) + 1);
            progress.firstAt = Math.min(progress.firstAt, at);
          },
          onCompleted: (at) => {
            progress.completed += 1;
            progress.lastAt = Math.max(progress.lastAt, at);
          },
        },
        startSpreadMs,
      );
    const waiting = load.queuedFirst === true ? null : await startWorkers();
    await waiting?.quiet();
    const warmedUp = waiting === null ? 0 : await submitAll(site, { ...load, ...load.warmUp }, progress, 0);
    await untilCompleted(warmedUp, progress);
    await waiting?.quiet();
    progress.firstAt = Infinity;
    const before = (await waiting?.state())?.calls;
    const submitsAt = sharedNow();
    const unused = await usageOf(site.url);
    const unspent = site.processorTime();
    const jobs = await submitAll(site, load, progress, warmedUp);
    const fleet = waiting ?? (await startWorkers());
    await untilCompleted(warmedUp + jobs, progress);
    await fleet.quiet();
    const cpuMsPerJob = processorTimePerJob(unspent, site.processorTime(), jobs);
    const usage = between(unused, await usageOf(site.url));
    await assertAllDoneOnce(site, warmedUp + jobs, starts, progress.completed);
    const { calls, failures } = await fleet.state();
    const began = waiting === null ? progress.firstAt : submitsAt;
    return {
      jobs,
      ...figuresOf(usage, jobs),
      failedClaims: calls.failure - (before?.failure ?? 0),
      emptyClaims: calls.empty - (before?.empty ?? 0),
      jobsPerSecond: jobs / ((progress.lastAt - began) / 1000),
      cpuMsPerJob,
      startedAgain: [...starts.values()].reduce((sum, times) => sum + times - 1, 0),
      failures,
      collisions: colliding(await collisionsOf(site.url)),
    };
  });
}

function colliding(collisions: Collisions): Collisions {
  return Object.fromEntries(Object.entries(collisions).filter(([, { conflicts }]) => conflicts > 0));
}

function figuresOf(
  usage: Usage,
  jobs: number,
): Pick<ContentionRun, "conflictsPerJob" | "exhausted" | "queryRunsPerJob" | "callsPerJob"> {
  const totals = totalsOf(usage);
  return {
    conflictsPerJob: totals.conflicts / jobs,
    exhausted: usage.functions.reduce((sum, each) => sum + each.failures, 0),
    queryRunsPerJob: totals.queryRuns / jobs,
    callsPerJob: totals.calls / jobs,
  };
}

/**
 * Each submitter has its own connection, as requesters do.
 * @param before the jobs that were submitted before, which are done.
 * @returns the number of jobs
 */
async function submitAll(
  site: Site,
  { workers, jobs, withinMs, jobMs, submitters, queuedFirst = false }: Load,
  progress: Progress,
  before: number,
): Promise<number> {
  const endsAt = sharedNow() + withinMs;
  const most = queuedFirst ? Infinity : workers * openPerWorker;
  let submitted = before;
  const submitter = async (): Promise<void> => {
    const client = site.connect();
    try {
      while (submitted < before + jobs && sharedNow() < endsAt) {
        if (submitted - progress.completed >= most) {
          await sleep(5);
          continue;
        }
        submitted += 1;
        await site.side.submit(client, { number: submitted, kind: "sleep", ms: jobMs });
      }
    } finally {
      await client.close();
    }
  };
  await Promise.all(Array.from({ length: submitters }, submitter));
  return submitted - before;
}

async function untilCompleted(jobs: number, progress: Progress): Promise<void> {
  const began = sharedNow();
  while (progress.completed < jobs) {
    await sleep(20);
    if (sharedNow() - Math.max(began, progress.lastAt) > stuckMs) {
      throw new Error(`Stuck with ${progress.completed} of ${jobs} jobs completed.`);
    }
  }
}

async function assertAllDoneOnce(
  site: Site,
  jobs: number,
  starts: ReadonlyMap<number, number>,
  completed: number,
): Promise<void> {
  if (starts.size !== jobs || completed !== jobs)
    throw new Error(`${site.name}: of ${jobs} jobs ${starts.size} were started, ${completed} completed.`);
  if (!(await site.side.allDone(site.client))) throw new Error(`${site.name}: not every job is done.`);
}
