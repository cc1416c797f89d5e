import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import {
  conflictReportSchema,
  type ConflictReport,
} from "../../embedded/runtime/execution/conflict-report.ts";
import { api } from "../api.ts";
import { ADMIN_KEY } from "../support/backend-process.ts";
import { startEmbedded } from "./subjects.ts";

const CLAIMERS = 8;
const LANE = "contended";
/** Of each function: what is printed of where it collided, the most frequent first. */
const MAX_RANGES = 5;

export type Contention = {
  readonly readMs: number;
  readonly commitMs: number;
  readonly claimsPerSecond: number;
  /** By function: how often it collided, and over which table and key range. */
  readonly functions: { readonly [name: string]: Omit<ConflictReport["functions"][string], "latest"> };
};

/** Eight claim the head of one lane at once, on a database that answers with the given delays (ms). */
export async function measureContention(
  dataFile: string,
  latency: { readonly readMs: number; readonly commitMs: number },
  claims: number,
): Promise<Contention> {
  const backend = await startEmbedded(dataFile, { latency });
  try {
    const { url } = backend;
    await new ConvexHttpClient(url, { logger: false }).mutation(api.jobs.add, { lane: LANE, count: 100 });
    let left = claims;
    let claimed = 0;
    const claimer = async (): Promise<void> => {
      const client = new ConvexHttpClient(url, { logger: false });
      while (left > 0) {
        left -= 1;
        // Who loses every race is told so, as by Convex: counted below.
        await client.mutation(api.jobs.claim, { lane: LANE }).then(
          () => (claimed += 1),
          () => undefined,
        );
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: CLAIMERS }, claimer));
    const seconds = (performance.now() - began) / 1000;
    return { ...latency, claimsPerSecond: claimed / seconds, functions: await conflictsOf(url) };
  } finally {
    await backend.stop();
  }
}

/** What the client can do although its types keep it to the CLI. */
type WithAdminAuth = { setAdminAuth(key: string): void };

async function conflictsOf(url: string): Promise<Contention["functions"]> {
  const admin = new ConvexHttpClient(url, { logger: false });
  (admin as unknown as WithAdminAuth).setAdminAuth(ADMIN_KEY);
  const answer: unknown = await admin.query(makeFunctionReference<"query">("_system/gleaner/conflicts"), {});
  const { functions } = conflictReportSchema.parse(answer);
  return Object.fromEntries(
    Object.entries(functions).map(([name, { latest: _, ...stats }]) => [
      name,
      { ...stats, ranges: stats.ranges.slice(0, MAX_RANGES) },
    ]),
  );
}
