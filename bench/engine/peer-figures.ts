import { measureLoneClaims } from "./claims.ts";
import { atRest, type Say, using } from "./embedded-figures.ts";
import type { PeerFigures } from "./figures.ts";
import { fillTables, measureReads } from "./reads.ts";
import { startConvexTest } from "./subjects.ts";
import { measureThroughput } from "./throughput.ts";

const noSubscriptions = "it has no subscriptions: it keeps no read sets, and tells nobody of a commit";

/**
 * The same functions and front end on convex-test. It slows down as its tables grow, so each figure gets new
 * tables.
 */
export async function convexTestFigures(folder: string, rounds: number, say: Say): Promise<PeerFigures> {
  say("convex-test: memory, mutations, claims");
  const rest = await using(await startConvexTest(folder), atRest);
  const mutationsPerSecond = await using(await startConvexTest(folder), ({ url }) =>
    measureThroughput(url, rounds, 1_000),
  );
  const mutationMs = await using(await startConvexTest(folder), ({ url }) => measureLoneClaims(url, 200));
  say("convex-test: reads");
  const reads = await using(await startConvexTest(folder), async ({ url }) => {
    await fillTables(url);
    return measureReads(url, 20);
  });
  return {
    mutationsPerSecond,
    readMsAt1k: reads.small,
    readMsAt100k: reads.large,
    fanoutMs1000: null,
    mutationMs,
    mutationMsWith1000Subs: null,
    coldStartMs: null,
    restMb: rest.residentMb,
    notes: {
      mutationsPerSecond: "in memory: none of it is durable",
      readMsAt1k: "each read goes through all documents there are, those of the large table, too",
      readMsAt100k: "each read goes through all documents there are",
      fanoutMs1000: noSubscriptions,
      mutationMsWith1000Subs: noSubscriptions,
      coldStartMs: "it keeps nothing on disk: there are no documents at its start",
      restMb: "with bench/convex, empty; without an isolate, a bundler and a database",
    },
  };
}
