import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import * as z from "zod";
import { type QueueDeployment, startQueue } from "./queue-deployment.fixture.ts";

const patience = { timeout: 60_000, interval: 250 };

/** The part of the backend's counters that is read here. */
const usageSchema = z.object({
  functions: z.array(z.object({ function: z.string(), kind: z.string(), runs: z.number() })),
  tables: z.record(z.string(), z.object({ replaced: z.number() })),
});

let queue: QueueDeployment;
beforeAll(async () => {
  queue = await startQueue();
});
afterAll(() => queue.stop(), 30_000);

async function counted() {
  const { functions, tables } = usageSchema.parse(await queue.usage());
  const runsOf = (which: (each: (typeof functions)[number]) => boolean): number =>
    functions.filter(which).reduce((sum, { runs }) => sum + runs, 0);
  return {
    queries: runsOf(({ kind }) => kind === "Query"),
    of: (name: string) => runsOf((each) => each.function === name),
    leases: Object.entries(tables).reduce(
      (sum, [name, { replaced }]) => sum + (name.endsWith("leases") ? replaced : 0),
      0,
    ),
  };
}

/** Waits until no query has run for a while. */
async function untilQuiet(): Promise<void> {
  const readings: number[] = [];
  await vi.waitFor(async () => {
    readings.push((await counted()).queries);
    const latest = readings.slice(-8);
    expect(latest).toHaveLength(8);
    expect(new Set(latest).size).toBe(1);
  }, patience);
}

it("a heartbeat renews its worker's lease and reruns no query of a busy worker, a waiting one, or a watcher", async () => {
  // A lease is written once a tenth of it is gone: after 2 s for the busy worker, and after 9 s for the waiting one.
  await queue.call("jobs:configure", { leaseMs: 20_000, offlineAfterMs: 90_000 });
  let end = (): void => undefined;
  const begun: string[] = [];
  const say = (name: string): Promise<string> => {
    begun.push(name);
    return name === "short"
      ? Promise.resolve("said")
      : new Promise((resolve) => (end = () => resolve("said")));
  };
  const working = await queue.startWorker(say);
  const [long = ""] = await queue.submit(["long"]);
  await vi.waitFor(() => expect(begun).toEqual(["long"]), patience);
  const watcher = queue.until(long, ({ status }) => status === "succeeded");
  const waiting = await queue.startWorker(say);
  // The waiting worker follows ready jobs, and the busy one follows the jobs that it holds.
  await vi.waitFor(async () => {
    const { of } = await counted();
    for (const name of ["work.js:candidates", "work.js:held", "jobs.js:look"]) {
      expect(of(name)).toBeGreaterThan(0);
    }
  }, patience);
  await untilQuiet();

  const before = await counted();
  const since = Date.now();
  const http = new ConvexHttpClient(queue.url, { skipConvexDeploymentUrlCheck: true, logger: false });
  const heartbeat = makeFunctionReference<"mutation">("work:heartbeat");
  await vi.waitFor(async () => {
    for (const { key } of [working, waiting]) await http.mutation(heartbeat, { key });
    expect((await counted()).leases - before.leases).toBeGreaterThanOrEqual(6);
    expect(Date.now() - since).toBeGreaterThan(12_000);
  }, patience);
  await untilQuiet();
  const after = await counted();
  expect(after.of("work.js:heartbeat") - before.of("work.js:heartbeat")).toBeGreaterThanOrEqual(6);
  expect(after.queries - before.queries).toBe(0);

  // The subscriptions were there all the time.
  const [short = ""] = await queue.submit(["short"]);
  await queue.until(short, ({ status }) => status === "succeeded");
  end();
  await watcher;
  const { of } = await counted();
  for (const name of ["work.js:candidates", "work.js:held", "jobs.js:look"]) {
    expect(of(name)).toBeGreaterThan(after.of(name));
  }
});
