import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { api } from "../api.ts";
import type { BackendProcess } from "../support/backend-process.ts";
import { repetitions } from "../support/repetitions.ts";
import { anonymousBytes, residentBytes } from "../support/resident-memory.ts";
import { median } from "../support/statistics.ts";
import { measureBurst } from "./burst.ts";
import { measureClaims } from "./claims.ts";
import { type Contention, measureContention } from "./contention.ts";
import { measureFanout } from "./fanout.ts";
import type { EmbeddedFigures, FreshWorld } from "./figures.ts";
import { fillTables, measureReads } from "./reads.ts";
import { gleanerFunctions, startEmbedded } from "./subjects.ts";
import { measureThroughput } from "./throughput.ts";
import { measureTicks } from "./ticks.ts";

/** Both garbage collections after a start are over. The second one comes up to 16 seconds after it. */
const restMs = 20_000;
const startsWithinMs = 20_000;

export type Details = {
  /** The slowdown of a mutation with the subscriptions, as a share. */
  readonly slowdownWith1000Subs: number;
  /** The fan-out if the subscribers of a connection share one query. */
  readonly fanoutMs1000Equal: number;
  readonly memory: {
    readonly restAnonymousMb: number | null;
    readonly restMbAfterFirstStart: number;
    readonly restMbWith100kDocuments: number;
  };
  readonly conflicts: readonly Contention[];
};

export type Say = (line: string) => void;

/** Measures the embedded backend. Its files go to `folder`. */
export async function embeddedFigures(
  folder: string,
  rounds: number,
  say: Say,
): Promise<{ readonly figures: EmbeddedFigures; readonly details: Details }> {
  const dataFile = join(folder, "bench.sqlite3");
  const live = await using(await startEmbedded(dataFile), async ({ url }) => {
    say("durable mutations from 8 clients");
    const mutationsPerSecond = await measureThroughput(url, rounds, 4_000);
    say("claims, without and with 1,000 subscriptions");
    const claims = await measureClaims(url, rounds * 3, 150);
    say("a commit that 1,000 subscribers wait for");
    const fanoutMs1000 = await measureFanout(url, rounds * 4, true);
    const fanoutMs1000Equal = await measureFanout(url, rounds * 4, false);
    say("filling the tables");
    await fillTables(url);
    say("reads of 10 documents");
    const reads = await measureReads(url, rounds * 300);
    say("runs that each have a world of their own");
    const freshWorld = await measureFreshWorld(url, rounds);
    return { mutationsPerSecond, claims, fanoutMs1000, fanoutMs1000Equal, reads, freshWorld };
  });
  say("starts with 100,000 documents");
  const starts: number[] = [];
  for (const _ of repetitions(rounds, startsWithinMs)) {
    starts.push(await using(await startEmbedded(dataFile), async ({ startedInMs }) => startedInMs));
  }
  say("memory at rest");
  const large = await using(await startEmbedded(dataFile), atRest);
  const startOwn = () => startEmbedded(join(folder, "small.sqlite3"), { functions: gleanerFunctions });
  // The first start compiles, so it needs more memory than all later ones.
  const first = await using(await startOwn(), atRest);
  const rest = await using(await startOwn(), atRest);
  say("1,000 calls that wait at once");
  const burst = await using(await startEmbedded(join(folder, "burst.sqlite3")), measureBurst);
  say("programs with and without ticks");
  const ticks = await measureTicks(rounds);
  say("conflicting claims");
  const conflicts = [
    await measureContention(join(folder, "near.sqlite3"), { readMs: 0, commitMs: 0 }, 200),
    await measureContention(join(folder, "far.sqlite3"), { readMs: 2, commitMs: 5 }, 200),
  ];
  return {
    figures: {
      mutationsPerSecond: live.mutationsPerSecond,
      readMsAt1k: live.reads.small,
      readMsAt100k: live.reads.large,
      fanoutMs1000: live.fanoutMs1000,
      mutationMs: live.claims.alone,
      mutationMsWith1000Subs: live.claims.watched,
      coldStartMs: median(starts),
      restMb: rest.restMb,
      freshWorld: live.freshWorld,
      ticks,
      burst,
    },
    details: {
      slowdownWith1000Subs: live.claims.slowdown,
      fanoutMs1000Equal: live.fanoutMs1000Equal,
      memory: {
        restAnonymousMb: rest.restAnonymousMb,
        restMbAfterFirstStart: first.restMb,
        restMbWith100kDocuments: large.restMb,
      },
      conflicts,
    },
  };
}

async function measureFreshWorld(url: string, rounds: number): Promise<FreshWorld> {
  const mutationsPerSecond = await measureThroughput(url, rounds, 800, api.fresh.write);
  const { small } = await measureReads(url, rounds * 100, api.fresh.ten);
  return { mutationsPerSecond, queryMs: small };
}

/** Stops the process, however the work ends. */
export async function using<T>(
  backend: BackendProcess,
  work: (backend: BackendProcess) => Promise<T>,
): Promise<T> {
  try {
    return await work(backend);
  } finally {
    await backend.stop();
  }
}

/** Memory in MB (10^6 bytes). */
export async function atRest({ pid }: BackendProcess): Promise<{
  readonly restMb: number;
  readonly restAnonymousMb: number | null;
}> {
  await sleep(restMs);
  const anonymous = anonymousBytes(pid);
  return { restMb: residentBytes(pid) / 1e6, restAnonymousMb: anonymous === null ? null : anonymous / 1e6 };
}
