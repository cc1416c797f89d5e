import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NextWork } from "@gleaner/queue/validators";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { startBackend } from "../../packages/embedded/server.ts";

// A backend refuses calls that read too much. With the most lanes that a scope may have, it must accept every call.
const fixtureFolder = fileURLToPath(new URL("./fixtures/convex", import.meta.url));
const lanes = 64;
const held = 16;

test("workers take jobs from the maximum number of lanes, and wait in all of them", async () => {
  const dir = await mkdtemp(join(tmpdir(), "queue-lanes-"));
  const backend = await startBackend({
    convexDir: fixtureFolder,
    dataFile: join(dir, "data.sqlite"),
    port: 0,
    sitePort: 0,
    adminKey: "test-admin-key",
  });
  try {
    const client = new ConvexHttpClient(backend.url, { skipConvexDeploymentUrlCheck: true, logger: false });
    const call = async (name: string, args: Record<string, unknown>): Promise<unknown> =>
      await client.mutation(makeFunctionReference<"mutation">(name), args);
    const shownTo = async (key: string, subscriptions: unknown): Promise<{ jobs: unknown[] }> =>
      (await client.query(makeFunctionReference<"query">("work:candidates"), { key, subscriptions })) as {
        jobs: unknown[];
      };
    const keys = ["one", "two", "three"];
    for (const key of keys) {
      await call("office:register", { key });
      const capabilities = { kinds: ["count"], memoryMb: 1_000, concurrency: held };
      await call("work:hello", { key, capabilities, startup: true });
    }
    await call("office:submitToLanes", { lanes: lanes });
    const taken: NextWork[] = [];
    for (const key of keys) {
      taken.push((await call("work:take", { key, demand: { jobs: held } })) as NextWork);
    }
    expect(taken.map(({ jobs }) => jobs.length)).toEqual([held, held, held]);
    for (const { attemptId } of taken[0]?.jobs ?? []) {
      await call("work:complete", { key: "one", attemptId, result: null, demand: { jobs: 0 } });
    }
    const last = (await call("work:take", { key: "one", demand: { jobs: held } })) as NextWork;
    expect(last.jobs).toHaveLength(lanes - 3 * held);
    for (const { attemptId } of last.jobs) {
      await call("work:complete", { key: "one", attemptId, result: null, demand: { jobs: 0 } });
    }
    const waiting = (await call("work:take", { key: "one", demand: { jobs: 1 } })) as NextWork;
    expect(waiting.subscriptions).toHaveLength(lanes);
    expect((await shownTo("one", [])).jobs).toEqual([]);
    expect((await shownTo("one", waiting.subscriptions)).jobs).toEqual([]);
  } finally {
    await backend.close();
    await rm(dir, { recursive: true, force: true });
  }
});
