import { setTimeout as sleep } from "node:timers/promises";
import { sharedNow } from "../fleet/messages.ts";
import { withSite, type Latency, type Site } from "../fleet/site.ts";
import type { SideName } from "../fleet/side.ts";
import { collisionsOf, type Collisions } from "../support/admin.ts";
import { totalsOf, type Usage } from "../support/usage.ts";
import type { ContentionFigures } from "./figures.ts";

export type Load = {
  readonly workers: number;
  readonly jobs: number;
  /** How long each takes. */
  readonly jobMs: number;
  /** Who submit at once, each one job after the other. */
  readonly submitters: number;
};

export type ContentionRun = ContentionFigures & {
  readonly submitMs: number;
  readonly exhausted: number;
  readonly queryRunsPerJob: number;
  readonly callsPerJob: number;
  /** What the first failures said to the workers. */
  readonly failures: readonly string[];
  /** Which functions collided, and where. */
  readonly collisions: Collisions;
};

/** How long nothing may complete before a run counts as stuck. */
const STUCK_MS = 60_000;
const START_SPREAD_MS = 1_000;

/** Submits jobs while all workers work, and waits for the last. Throws unless each ran exactly once. */
export function measureContention(
  name: SideName,
  folder: string,
  latency: Latency,
  load: Load,
): Promise<ContentionRun> {
  return withSite(name, folder, latency, async (site) => {
    const starts = new Map<number, number>();
    const progress = { completed: 0, lastAt: sharedNow() };
    const fleet = await site.startWorkers(
      load.workers,
      {
        onStarted: (number) => void starts.set(number, (starts.get(number) ?? 0) + 1),
        onCompleted: (at) => {
          progress.completed += 1;
          progress.lastAt = Math.max(progress.lastAt, at);
        },
      },
      START_SPREAD_MS,
    );
    await fleet.quiet();
    const before = (await fleet.state()).calls;
    const began = sharedNow();
    let submitMs = 0;
    const usage = await site.counted(async () => {
      await submitAll(site, load);
      submitMs = sharedNow() - began;
      await untilCompleted(load.jobs, progress);
      await fleet.quiet();
    });
    await assertAllRanOnce(site, load, starts, progress.completed);
    const { calls, failures } = await fleet.state();
    return {
      ...figuresOf(usage, load),
      failedClaims: calls.failure - before.failure,
      emptyClaims: calls.empty - before.empty,
      jobsPerSecond: load.jobs / ((progress.lastAt - began) / 1000),
      submitMs,
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
  { jobs }: Load,
): Pick<ContentionRun, "conflictsPerJob" | "exhausted" | "queryRunsPerJob" | "callsPerJob"> {
  const totals = totalsOf(usage);
  return {
    conflictsPerJob: totals.conflicts / jobs,
    exhausted: usage.functions.reduce((sum, each) => sum + each.failures, 0),
    queryRunsPerJob: totals.queryRuns / jobs,
    callsPerJob: totals.calls / jobs,
  };
}

/** Each submitter on a connection of its own, as requesters are. */
async function submitAll(site: Site, { jobs, jobMs, submitters }: Load): Promise<void> {
  let next = 0;
  const submitter = async (): Promise<void> => {
    const client = site.connect();
    try {
      while (next < jobs) {
        next += 1;
        await site.side.submit(client, { number: next, kind: "sleep", ms: jobMs });
      }
    } finally {
      await client.close();
    }
  };
  await Promise.all(Array.from({ length: submitters }, submitter));
}

async function untilCompleted(
  jobs: number,
  progress: { readonly completed: number; readonly lastAt: number },
) {
  while (progress.completed < jobs) {
    await sleep(20);
    if (sharedNow() - progress.lastAt > STUCK_MS) {
      throw new Error(`Stuck with ${progress.completed} of ${jobs} jobs completed.`);
    }
  }
}

async function assertAllRanOnce(
  site: Site,
  { jobs }: Load,
  starts: ReadonlyMap<number, number>,
  completed: number,
): Promise<void> {
  const twice = [...starts.values()].filter((times) => times !== 1).length;
  if (starts.size !== jobs || twice > 0 || completed !== jobs) {
    throw new Error(
      `${site.name}: of ${jobs} jobs ${starts.size} were started, ${twice} more than once, ${completed} completed.`,
    );
  }
  if (!(await site.side.allDone(site.client))) throw new Error(`${site.name}: not every job is done.`);
}
