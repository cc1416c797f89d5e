import { ConvexHttpClient } from "convex/browser";
import { api } from "../api.ts";
import { type Collisions, collisionsOf } from "../support/admin.ts";
import { startEmbedded } from "./subjects.ts";

const claimers = 8;
const lane = "contended";

export type Contention = {
  readonly readMs: number;
  readonly commitMs: number;
  readonly claimsPerSecond: number;
  readonly functions: Collisions;
};

/** Eight clients claim the head of one lane at once, on a database with the given delays in ms. */
export async function measureContention(
  dataFile: string,
  latency: { readonly readMs: number; readonly commitMs: number },
  claims: number,
): Promise<Contention> {
  const backend = await startEmbedded(dataFile, { latency });
  try {
    const { url } = backend;
    await new ConvexHttpClient(url, { logger: false }).mutation(api.jobs.add, { lane: lane, count: 100 });
    let left = claims;
    let claimed = 0;
    const claimer = async (): Promise<void> => {
      const client = new ConvexHttpClient(url, { logger: false });
      while (left > 0) {
        left -= 1;
        // A call that loses every retry fails, as on Convex. It is counted below.
        await client.mutation(api.jobs.claim, { lane: lane }).then(
          () => (claimed += 1),
          () => undefined,
        );
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: claimers }, claimer));
    const seconds = (performance.now() - began) / 1000;
    return { ...latency, claimsPerSecond: claimed / seconds, functions: await collisionsOf(url) };
  } finally {
    await backend.stop();
  }
}
