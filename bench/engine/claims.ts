import type { ConvexClient } from "convex/browser";
import { api } from "../api.ts";
import { countdown, withClients } from "../support/clients.ts";
import { repetitions } from "../support/repetitions.ts";
import { median, quantile } from "../support/statistics.ts";

const laneName = "mine";
const jobs = 100;
const subscriptions = 1_000;
const watcherCount = 4;
/** Claims before each phase. Meanwhile the garbage of opened and closed subscriptions is collected. */
const warmUp = 60;
const withinMs = 50_000;

type ClaimTimes = {
  /** The 95th percentile of one claim, ms: the median of the rounds. */
  readonly alone: number;
  readonly watched: number;
  /** The slowdown as a share: 0.1 means 10 % slower. */
  readonly slowdown: number;
};

/**
 * One client claims again and again, alternately without and with 1,000 subscriptions to other lanes of the same
 * index. Each round measures both, so that noise affects both.
 */
export function measureClaims(url: string, rounds: number, perPhase: number): Promise<ClaimTimes> {
  return withClients(url, 1 + watcherCount, async ([claimer, ...watchers]) => {
    if (claimer === undefined) throw new Error("There is no client.");
    await claimer.mutation(api.jobs.add, { lane: laneName, count: jobs });
    const phase = async (): Promise<number> => {
      await claimTimes(claimer, warmUp);
      return quantile(await claimTimes(claimer, perPhase), 0.95);
    };
    await phase();
    const alone: number[] = [];
    const watched: number[] = [];
    for (const round of repetitions(rounds, withinMs)) {
      const measureWatched = async (): Promise<void> => {
        const stop = await watchOtherLanes(watchers);
        watched.push(await phase());
        await stop();
      };
      const measureAlone = async (): Promise<void> => void alone.push(await phase());
      // The order alternates, since the machine may be warmer for the first.
      const order = round % 2 === 0 ? [measureAlone, measureWatched] : [measureWatched, measureAlone];
      for (const measure of order) await measure();
    }
    const medians = { alone: median(alone), watched: median(watched) };
    return { ...medians, slowdown: medians.watched / medians.alone - 1 };
  });
}

/** The 95th percentile of a claim in ms, for a backend without subscriptions. */
export function measureLoneClaims(url: string, perPhase: number): Promise<number> {
  return withClients(url, 1, async ([claimer]) => {
    if (claimer === undefined) throw new Error("There is no client.");
    await claimer.mutation(api.jobs.add, { lane: laneName, count: jobs });
    await claimTimes(claimer, warmUp);
    return quantile(await claimTimes(claimer, perPhase), 0.95);
  });
}

async function claimTimes(client: ConvexClient, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    const claimed = await client.mutation(api.jobs.claim, { lane: laneName });
    times.push(performance.now() - began);
    if (claimed === null) throw new Error("The lane ran dry.");
  }
  return times;
}

async function watchOtherLanes(watchers: readonly ConvexClient[]): Promise<() => Promise<void>> {
  const { arrived, all } = countdown(subscriptions);
  const stops = Array.from({ length: subscriptions }, (_, lane) => {
    const watcher = watchers[lane % watchers.length] as ConvexClient;
    return watcher.onUpdate(api.jobs.next, { lane: `other-${lane}` }, arrived);
  });
  await all;
  return async () => {
    for (const stop of stops) stop();
    // A connection answers in order, so its subscriptions have ended when this is answered.
    await Promise.all(watchers.map((watcher) => watcher.mutation(api.jobs.claim, { lane: "empty" })));
  };
}
