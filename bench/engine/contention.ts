import { join } from "node:path";
import { openEngine } from "../../embedded/engine/engine.ts";
import { bundleFunctions } from "../../embedded/runtime/bundle.ts";
import type { FunctionStats } from "../../embedded/runtime/conflict-stats.ts";
import { createFunctionRunner } from "../../embedded/runtime/runner.ts";

const CLAIMERS = 8;
const LANE = "contended";

export type Contention = {
  readonly readMs: number;
  readonly commitMs: number;
  readonly claimsPerSecond: number;
  /** Of `jobs:claim`; `collisions` names the table and index. */
  readonly conflicts: FunctionStats | null;
};

/** Eight claim the head of one lane at once, on a database that answers with the given delays (ms). */
export async function measureContention(
  dataFile: string,
  latency: { readonly readMs: number; readonly commitMs: number },
  claims: number,
): Promise<Contention> {
  const bundled = await bundleFunctions(join(import.meta.dirname, "../convex"));
  if (bundled.kind === "failed") throw new Error(bundled.message);
  const engine = openEngine({ path: dataFile });
  try {
    const runner = createFunctionRunner({ engine, bundle: bundled.bundle, latency });
    const run = (path: string, args: { readonly lane: string; readonly count?: number }) =>
      runner.runMutation({ path, args, identity: { kind: "none" }, requestId: "bench" });
    await run("jobs:add", { lane: LANE, count: 100 });
    let left = claims;
    const began = performance.now();
    const claimer = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await run("jobs:claim", { lane: LANE });
      }
    };
    await Promise.all(Array.from({ length: CLAIMERS }, claimer));
    const seconds = (performance.now() - began) / 1000;
    const stats = Object.entries(runner.conflictStats()).find(([name]) => name.endsWith(":claim"));
    return { ...latency, claimsPerSecond: claims / seconds, conflicts: stats?.[1] ?? null };
  } finally {
    await engine.close();
  }
}
