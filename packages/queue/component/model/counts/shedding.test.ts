import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JobSpec } from "../../../shared/validators.ts";
import { type Backend, queue, scope, startQueue, submitJobs } from "../../testing/queue.fixture.ts";
import { addWorker, complete, take, type TestWorker } from "../../testing/workers.fixture.ts";
import { counts } from "./references.ts";

const started = Date.parse("2026-11-21T08:00:00Z");
const jobMs = 10_000;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());
vi.setConfig({ testTimeout: 60_000 });

const submit = async (t: Backend, job: Partial<JobSpec> = {}) =>
  await t.mutation(queue.jobs.submit, { scope, jobs: [{ kind: "hash", payload: 1, called: true, ...job }] });

/** Each worker does one job after another, until `jobs` of them are done. */
async function work(t: Backend, workers: readonly TestWorker[], jobs: number): Promise<void> {
  for (let done = 0; done < jobs; done += workers.length) {
    const held = await Promise.all(workers.map((worker) => take(t, worker)));
    vi.setSystemTime(Date.now() + jobMs);
    for (const [index, worker] of workers.entries()) {
      for (const { attemptId } of held[index]?.jobs ?? []) await complete(t, worker, attemptId);
    }
  }
}

/** Two workers that do a job in 10 s each, so 12 a minute. They have done ten. @param ready the jobs that wait then. */
async function fleet(ready: number): Promise<{ t: Backend; workers: readonly TestWorker[] }> {
  const t = startQueue();
  await submitJobs(
    t,
    Array.from({ length: 10 + ready }, () => ({})),
  );
  const workers = [await addWorker(t), await addWorker(t)];
  await work(t, workers, 10);
  await t.action(counts.count, {});
  return { t, workers };
}

const minutes = (count: number): number => count * 60_000;
const waitsOf = async (t: Backend) =>
  (await t.query(queue.lanes.stats, { scope })).lanes.map(({ waits }) => waits);

it("a fleet sheds low priority first, and high priority last, and takes all again when the queue is shorter", async () => {
  // 40 jobs of 10 s by two workers: 200 s.
  const { t, workers } = await fleet(40);
  expect(await waitsOf(t)).toEqual([[0, 200_000, 200_000]]);
  expect(await submit(t, { priority: "low" })).toEqual({
    kind: "busy",
    expectedWaitMs: 200_000,
    longestWaitMs: minutes(2.5),
    retryAfterMs: 50_000,
  });
  expect(await submit(t)).toMatchObject({ kind: "submitted" });

  await submitJobs(
    t,
    Array.from({ length: 30 }, () => ({})),
  );
  await t.action(counts.count, {});
  expect(await submit(t)).toMatchObject({ kind: "busy", expectedWaitMs: 355_000, longestWaitMs: minutes(5) });
  expect(await submit(t, { priority: "high" })).toMatchObject({ kind: "submitted" });

  await submitJobs(
    t,
    Array.from({ length: 130 }, () => ({ priority: "high" as const })),
  );
  await t.action(counts.count, {});
  expect(await submit(t, { priority: "high" })).toMatchObject({ kind: "busy", longestWaitMs: minutes(10) });

  await work(t, workers, 180);
  await t.action(counts.count, {});
  for (const priority of ["low", "normal", "high"] as const)
    expect(await submit(t, { priority })).toMatchObject({ kind: "submitted" });
});

it("jobs whose callers do not wait are taken for longer, and so are delayed ones and repeats", async () => {
  const { t } = await fleet(0);
  await submitJobs(t, [{ idempotencyKey: "k" }, ...Array.from({ length: 79 }, () => ({}))]);
  await t.action(counts.count, {});
  expect(await submit(t)).toMatchObject({ kind: "busy" });
  expect(await submit(t, { called: false })).toMatchObject({ kind: "submitted" });
  expect(await submit(t, { delayMs: 1 })).toMatchObject({ kind: "submitted" });
  expect(await submit(t, { idempotencyKey: "k" })).toMatchObject({ kind: "submitted", repeated: 1 });
  await t.mutation(queue.settings.configure, { scope, values: { maxWaitMs: minutes(6) } });
  expect(await submit(t, { called: false })).toMatchObject({ kind: "busy", longestWaitMs: minutes(6) });
  await t.mutation(queue.settings.configure, { scope, values: { maxCallWaitMs: minutes(7) } });
  expect(await submit(t)).toMatchObject({ kind: "submitted" });
});

it("a lane without ready jobs waits for the jobs that its workers have of other lanes, and refuses nobody", async () => {
  const t = startQueue();
  const otherLane = { requirements: { model: "m" } };
  const worker = await addWorker(t, { models: ["m"] });
  await submitJobs(t, [otherLane, ...Array.from({ length: 45 }, () => ({}))]);
  await work(t, [worker], 6);
  await t.action(counts.count, {});
  const lanes = async () => (await t.query(queue.lanes.stats, { scope })).lanes;
  const idle = async () => (await lanes()).find(({ requirements }) => requirements.model === "m");
  expect(await idle()).toMatchObject({ ready: 0, waits: [0, 400_000, 400_000], countedAt: Date.now() });
  expect(await submit(t)).toMatchObject({ kind: "busy" });
  expect(await submit(t, otherLane)).toMatchObject({ kind: "submitted" });
  // Once no jobs wait anywhere, no wait is known.
  await work(t, [worker], 41);
  await t.action(counts.count, {});
  expect(await idle()).toMatchObject({ ready: 0, waits: null });
});

it("an unknown wait refuses nobody: no worker, or none that has ended a job", async () => {
  const t = startQueue();
  await submitJobs(
    t,
    Array.from({ length: 500 }, () => ({})),
  );
  await t.action(counts.count, {});
  expect(await waitsOf(t)).toEqual([null]);
  await take(t, await addWorker(t));
  await t.action(counts.count, {});
  expect(await waitsOf(t)).toEqual([null]);
  expect(await submit(t)).toMatchObject({ kind: "submitted" });
});

it("a backlog of an earlier version is full, and one that only sheds is not", async () => {
  const t = startQueue();
  const row = {
    scope,
    of: "lane" as const,
    name: "",
    queued: 9,
    countedAt: started,
    retryAt: started + 9_000,
  };
  await submitJobs(t, [{}]);
  await t.run(async (ctx) => {
    const lane = await ctx.db.query("lanes").first();
    await ctx.db.insert("crowds", { ...row, name: lane?.name ?? "" });
  });
  expect(await submit(t)).toEqual({ kind: "full", retryAfterMs: 9_000 });
  await t.run(async (ctx) => {
    const crowd = await ctx.db.query("crowds").first();
    if (crowd !== null) await ctx.db.patch("crowds", crowd._id, { full: false });
  });
  expect(await submit(t)).toMatchObject({ kind: "submitted" });
});
