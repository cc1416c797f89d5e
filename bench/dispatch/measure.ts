import { setTimeout as sleep } from "node:timers/promises";
import { sharedNow } from "../fleet/messages.ts";
import { type Latency, type Site, withSites } from "../fleet/site.ts";
import { type SideName, sideNames } from "../side.ts";
import { repetitions } from "../support/repetitions.ts";
import { quantile } from "../support/statistics.ts";
import type { DispatchTimes } from "./figures.ts";

/** The time between two workers' connections. Simultaneous ones would wait for each other in the backend. */
const startSpreadMs = 2;
const warmUp = 3;
const withinMs = 30_000;
/** A random pause between two jobs, so that they do not synchronize with a timer. */
const pauseMs = { least: 50, most: 350 };

type Subject = {
  readonly site: Site;
  readonly started: Map<number, number>;
  readonly dispatch: () => Promise<number>;
};

/**
 * The time from a submission's call to the start of its job, in ms, on idle fleets. Alternates between both
 * sides, one job at a time.
 */
export function measureDispatch(
  folder: string,
  latency: Latency,
  workers: number,
  samples: number,
): Promise<DispatchTimes> {
  return withSites(folder, latency, async (sites) => {
    const subjects = {
      ours: await subject(sites.ours, workers),
      baseline: await subject(sites.baseline, workers),
    };
    const times: { readonly [Name in SideName]: number[] } = { ours: [], baseline: [] };
    for (const sample of repetitions(warmUp + samples, withinMs, { least: warmUp + 1 })) {
      for (const name of sample % 2 === 0 ? sideNames : sideNames.toReversed()) {
        const ms = await subjects[name].dispatch();
        if (sample >= warmUp) times[name].push(ms);
      }
    }
    const of = (each: readonly number[]) => ({ p50: quantile(each, 0.5), p95: quantile(each, 0.95) });
    return { n: workers, ours: of(times.ours), baseline: of(times.baseline) };
  });
}

async function subject(site: Site, workers: number): Promise<Subject> {
  const started = new Map<number, number>();
  let onStarted: () => void = () => undefined;
  const events = {
    onStarted: (number: number, at: number): void => {
      if (started.has(number)) throw new Error(`Job ${number} was started twice.`);
      started.set(number, at);
      onStarted();
    },
  };
  const fleet = await site.startWorkers(workers, events, workers * startSpreadMs);
  let number = 0;
  const dispatch = async (): Promise<number> => {
    await fleet.quiet();
    await sleep(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
    number += 1;
    const isStarted = new Promise<void>((resolve) => (onStarted = resolve));
    const submittedAt = sharedNow();
    await Promise.all([site.submit({ number, kind: "sleep", ms: 0 }), isStarted]);
    const startedAt = started.get(number);
    if (startedAt === undefined) throw new Error("A job was started that was not submitted last.");
    return startedAt - submittedAt;
  };
  return { site, started, dispatch };
}
