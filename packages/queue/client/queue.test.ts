import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { installQueue, scope } from "./installed.fixture.ts";
import type { JobInput } from "./runners.ts";

type Ability = NonNullable<Parameters<App["queue"]["isThereWork"]>[2]>;
type App = ReturnType<typeof installQueue>;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-21T08:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function submit({ t, queue }: App, job: Partial<JobInput> = {}, batchId?: string): Promise<string> {
  const options = batchId === undefined ? {} : { batchId };
  const outcome = await t.mutation((ctx) =>
    queue.submit(ctx, scope, { kind: "hash", payload: "a.txt", ...job }, options),
  );
  if (outcome.kind !== "submitted") throw new Error(outcome.kind);
  return outcome.jobId;
}

async function addWorker({ t, queue, work }: App, kinds: string[]): Promise<string> {
  await t.mutation((ctx) => queue.workers.register(ctx, scope, { key: "secret", name: "laptop" }));
  await t.mutation(work.hello, { key: "secret", capabilities: { kinds }, startup: true });
  return "secret";
}

/** Fails the next job of the worker with this key for good. */
async function failNext({ t, work }: App, key: string): Promise<void> {
  const taken = await t.mutation(work.take, { key, demand: { jobs: 1 } });
  const attemptId = taken.kind === "ok" ? taken.jobs[0]?.attemptId : undefined;
  if (attemptId === undefined) throw new Error("nothing to do");
  const error = { code: "no_file", message: "There is no such file.", retryable: false };
  await t.mutation(work.fail, { key, attemptId, error, demand: { jobs: 0 } });
}

const statusOf = async ({ t, queue }: App, jobId: string) =>
  (await t.query((ctx) => queue.status(ctx, scope, jobId)))?.status;

/** Lets time pass, and runs the functions that are scheduled within it. */
async function pass({ t }: App, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await vi.advanceTimersByTimeAsync(1_000);
    await t.finishInProgressScheduledFunctions();
  }
}

describe("jobs", () => {
  it("jobs are found by the app's own id, only in their scope", async () => {
    const app = installQueue();
    const jobId = await submit(app, { externalId: "order 7" });
    const byExternalId = (of: string, id: string) =>
      app.t.query((ctx) => app.queue.statusByExternalId(ctx, of, id));
    expect(await byExternalId(scope, "order 7")).toMatchObject({
      jobId,
      externalId: "order 7",
      status: "ready",
    });
    expect(await byExternalId(scope, "order 8")).toBeNull();
    expect(await byExternalId("another", "order 7")).toBeNull();
  });

  it("jobs are found by their idempotency key, only in their scope", async () => {
    const app = installQueue();
    const jobId = await submit(app, { idempotencyKey: "key 7" });
    const byKey = (of: string, key: string) =>
      app.t.query((ctx) => app.queue.statusByIdempotencyKey(ctx, of, key));
    expect(await byKey(scope, "key 7")).toMatchObject({ jobId, status: "ready" });
    expect(await byKey(scope, "key 8")).toBeNull();
    expect(await byKey("another", "key 7")).toBeNull();
  });

  it("jobs count as work while one is ready in a lane that is not paused", async () => {
    const app = installQueue();
    const { t, queue } = app;
    const isThereWork = (of = scope) => t.query((ctx) => queue.isThereWork(ctx, of));
    expect(await isThereWork()).toBe(false);
    await submit(app, { delayMs: 60_000 });
    expect(await isThereWork()).toBe(false);
    const jobId = await submit(app);
    expect(await isThereWork()).toBe(true);
    expect(await isThereWork("another")).toBe(false);
    const [lane] = await t.query((ctx) => queue.lanes.list(ctx, scope));
    const laneId = String(lane?.laneId);
    await t.mutation((ctx) => queue.lanes.setState(ctx, scope, { laneId, state: "paused" }));
    expect(await isThereWork()).toBe(false);
    await t.mutation((ctx) => queue.lanes.setState(ctx, scope, { laneId, state: "open" }));
    expect(await isThereWork()).toBe(true);
    await t.mutation((ctx) => queue.cancel(ctx, scope, jobId));
    expect(await isThereWork()).toBe(false);
  });

  it("jobs count as work only for a worker that could run them", async () => {
    const app = installQueue();
    const isThereWork = (worker: Ability) => app.t.query((ctx) => app.queue.isThereWork(ctx, scope, worker));
    const able = { kinds: ["hash"], models: ["small"], gpu: true };
    await submit(app, { requirements: { model: "small", gpu: true, groups: ["floor 2"] } });
    expect(await isThereWork({ capabilities: able, groups: ["floor 2"] })).toBe(true);
    expect(await isThereWork({ capabilities: able })).toBe(false);
    for (const less of [{ kinds: ["resize"] }, { models: ["large"] }, { gpu: false }]) {
      expect(await isThereWork({ capabilities: { ...able, ...less }, groups: ["floor 2"] })).toBe(false);
    }
    await submit(app);
    expect(await isThereWork({ capabilities: { kinds: ["hash"] } })).toBe(true);
  });
});

describe("batches", () => {
  const none = { succeeded: 0, failed: 0, canceled: 0, expired: 0 };

  it("batches show their progress by their id and by the app's own, only in their scope", async () => {
    const app = installQueue();
    const { t, queue } = app;
    const batch = { externalId: "night", context: { of: "november" } };
    const batchId = await t.mutation((ctx) => queue.batches.create(ctx, scope, batch));
    const jobId = await submit(app, {}, batchId);
    await submit(app, {}, batchId);
    await t.mutation((ctx) => queue.cancel(ctx, scope, jobId));
    const seen = await t.query((ctx) => queue.batches.get(ctx, scope, batchId));
    expect(seen).toMatchObject({
      ...none,
      ...batch,
      batchId,
      status: "open",
      total: 2,
      canceled: 1,
      doneAt: null,
    });
    const byExternalId = (of: string, id: string) =>
      t.query((ctx) => queue.batches.byExternalId(ctx, of, id));
    expect(await byExternalId(scope, "night")).toEqual(seen);
    expect(await byExternalId(scope, "day")).toBeNull();
    expect(await byExternalId("another", "night")).toBeNull();
    expect(await t.query((ctx) => queue.batches.get(ctx, "another", batchId))).toBeNull();
  });

  it("batches cancel every job that is not final, and are done then", async () => {
    const app = installQueue();
    const { t, queue } = app;
    const batchId = await t.mutation((ctx) => queue.batches.create(ctx, scope));
    const jobs = [await submit(app, {}, batchId), await submit(app, { delayMs: 60_000 }, batchId)];
    const other = await submit(app);
    await t.mutation((ctx) => queue.batches.cancel(ctx, scope, batchId, "ann"));
    await pass(app, 5_000);
    for (const jobId of jobs) expect(await statusOf(app, jobId)).toBe("canceled");
    expect(await statusOf(app, other)).toBe("ready");
    const seen = await t.query((ctx) => queue.batches.get(ctx, scope, batchId));
    expect(seen).toMatchObject({ ...none, status: "done", total: 2, canceled: 2 });
    await expect(submit(app, {}, batchId)).rejects.toThrow(/takes no more jobs/);
    const events = await t.query((ctx) => queue.events(ctx, scope, { numItems: 10, cursor: null }));
    expect(events.page).toContainEqual(expect.objectContaining({ actor: "ann", action: "batch.cancel" }));
  });
});

describe("recurring jobs", () => {
  const nightly = { name: "nightly", schedule: { kind: "interval" as const, everyMs: 60_000 } };

  it("recurring jobs are submitted with their kind's policy until they are removed", async () => {
    vi.spyOn(console, "log").mockReturnValue();
    const app = installQueue({ kinds: { report: { maxFailures: 1 } } });
    const { t, queue } = app;
    const job = { kind: "report", payload: "yesterday" };
    await t.mutation((ctx) => queue.recurring.set(ctx, scope, { ...nightly, job }));
    const listed = async (of = scope) => await t.query((ctx) => queue.recurring.list(ctx, of));
    expect(await listed()).toMatchObject([
      { ...nightly, kind: "report", paused: false, runs: 0, lastJobId: null },
    ]);
    expect(await listed("another")).toEqual([]);
    await pass(app, 62_000);
    const [first] = await listed();
    expect(first).toMatchObject({ runs: 1 });
    const jobId = String(first?.lastJobId);
    expect(await statusOf(app, jobId)).toBe("ready");

    // The kind allows one failure, so even a retryable error ends the job.
    const key = await addWorker(app, ["report"]);
    const taken = await t.mutation(app.work.take, { key, demand: { jobs: 1 } });
    const attemptId = taken.kind === "ok" ? String(taken.jobs[0]?.attemptId) : "";
    const error = { code: "crashed", message: "It crashed.", retryable: true };
    await t.mutation(app.work.fail, { key, attemptId, error, demand: { jobs: 0 } });
    expect(await statusOf(app, jobId)).toBe("failed");

    await t.mutation((ctx) => queue.recurring.remove(ctx, scope, "nightly", "ann"));
    expect(await listed()).toEqual([]);
    await pass(app, 122_000);
    const all = { paginationOpts: { numItems: 10, cursor: null } };
    expect((await t.query((ctx) => queue.list(ctx, scope, all))).page).toHaveLength(1);
    await expect(t.mutation((ctx) => queue.recurring.remove(ctx, scope, "nightly"))).rejects.toThrow(
      /nightly/,
    );
  });

  it("recurring jobs are not submitted while they are paused", async () => {
    vi.spyOn(console, "log").mockReturnValue();
    const app = installQueue();
    const { t, queue } = app;
    const job = { kind: "report", payload: "yesterday" };
    await t.mutation((ctx) => queue.recurring.set(ctx, scope, { ...nightly, job }));
    await t.mutation((ctx) => queue.recurring.setPaused(ctx, scope, "nightly", true));
    await pass(app, 122_000);
    const listed = async () => (await t.query((ctx) => queue.recurring.list(ctx, scope)))[0];
    expect(await listed()).toMatchObject({ paused: true, runs: 0, nextRunAt: null });
    await t.mutation((ctx) => queue.recurring.setPaused(ctx, scope, "nightly", false));
    await pass(app, 62_000);
    expect(await listed()).toMatchObject({ paused: false, runs: 1 });
  });
});

describe("dead letters", () => {
  it("dead letters are retried all at once, or all of a kind", async () => {
    const app = installQueue();
    const { t, queue } = app;
    const key = await addWorker(app, ["hash", "copy"]);
    const jobs = [await submit(app), await submit(app), await submit(app, { kind: "copy" })];
    for (const _ of jobs) await failNext(app, key);
    const dead = async (): Promise<string[]> => {
      const which = { paginationOpts: { numItems: 10, cursor: null } };
      const { page } = await t.query((ctx) => queue.deadLetters.list(ctx, scope, which));
      return page.map(({ jobId }) => jobId).sort();
    };
    expect(await dead()).toEqual([...jobs].sort());
    const ofCopy = await t.mutation((ctx) => queue.deadLetters.retryAll(ctx, scope, "copy", "ann"));
    expect(ofCopy.started).toBe(1);
    await pass(app, 2_000);
    expect(await dead()).toEqual(jobs.slice(0, 2).sort());
    expect(await statusOf(app, String(jobs[2]))).toBe("ready");
    await t.mutation((ctx) => queue.deadLetters.retryAll(ctx, scope));
    await pass(app, 2_000);
    expect(await dead()).toEqual([]);
    for (const jobId of jobs) expect(await statusOf(app, jobId)).toBe("ready");
  });
});

describe("settings", () => {
  it("settings apply to a scope, and are the default again when they are left out", async () => {
    const { t, queue } = installQueue();
    const read = (of: string) => t.query((ctx) => queue.settings(ctx, of));
    await t.mutation((ctx) => queue.configure(ctx, "", { maxQueued: 7, watchMs: 60_000 }));
    await t.mutation((ctx) => queue.configure(ctx, scope, { maxQueued: 9 }));
    expect(await read(scope)).toMatchObject({ maxQueued: 9, watchMs: 60_000, leaseMs: 40_000 });
    await t.mutation((ctx) => queue.configure(ctx, scope, {}));
    expect(await read(scope)).toMatchObject({ maxQueued: 7 });
  });
});

describe("limits", () => {
  it("limits are found by their requester or key, only in their scope", async () => {
    const { t, queue } = installQueue();
    await t.mutation((ctx) => queue.limits.set(ctx, scope, { of: "key", name: "printer", concurrency: 2 }));
    await t.mutation((ctx) => queue.limits.set(ctx, scope, { of: "requester", name: "printer", weight: 3 }));
    const get = (of: "key" | "requester", name: string, where = scope) =>
      t.query((ctx) => queue.limits.get(ctx, where, of, name));
    expect(await get("key", "printer")).toEqual({ of: "key", name: "printer", concurrency: 2, weight: 1 });
    expect(await get("requester", "printer")).toMatchObject({ concurrency: null, weight: 3 });
    expect(await get("key", "scanner")).toBeNull();
    expect(await get("key", "printer", "another")).toBeNull();
  });
});
