import { measureLoneClaims } from "./claims.ts";
import { atRest, type Say, using } from "./embedded-figures.ts";
import type { PeerFigures } from "./figures.ts";
import { fillTables, measureReads } from "./reads.ts";
import { startConvexTest } from "./subjects.ts";
import { measureThroughput } from "./throughput.ts";

const noSubscriptions = "it has no subscriptions and no read sets";

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
    restMb: rest.restMb,
    notes: {
      mutationsPerSecond: "in memory, so nothing is durable",
      readMsAt1k: "each read scans all documents, including those of the large table",
      readMsAt100k: "each read scans all documents",
      fanoutMs1000: noSubscriptions,
      mutationMsWith1000Subs: noSubscriptions,
      coldStartMs: "it keeps nothing on disk, so it starts without documents",
      restMb: "with bench/convex and no documents; it has no isolate, bundler or database",
    },
  };
}
