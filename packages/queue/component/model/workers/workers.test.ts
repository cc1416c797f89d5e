import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import {
  addWorker,
  complete,
  expectRefusal,
  fail,
  heldBy,
  take,
  takeOne,
  waitingPositions,
} from "../../testing/workers.fixture.ts";
import { positionOf } from "../placement.ts";

let t: Backend;
const scope = "acme";
const paginationOpts = { numItems: 10, cursor: null };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
});
afterEach(() => {
  vi.useRealTimers();
});

const viewOf = async (workerId: string) => await t.query(queue.workers.get, { scope, workerId });

describe("register", () => {
  it("register returns the same worker if it is repeated, and refuses values of another worker", async () => {
    const given = { scope, keyHash: "k", externalId: "device-1", name: "Laptop" };
    const { workerId } = await t.mutation(queue.workers.register, given);
    expect(await t.mutation(queue.workers.register, given)).toEqual({ workerId });
    await expectRefusal(t.mutation(queue.workers.register, { ...given, externalId: "device-2" }), "invalid");
    await expectRefusal(t.mutation(queue.workers.register, { ...given, keyHash: "l" }), "invalid");
    await expectRefusal(t.mutation(queue.workers.register, { ...given, scope: "umbrella" }), "invalid");
    await expectRefusal(t.mutation(queue.workers.register, { ...given, name: "" }), "invalid");
    const elsewhere = { ...given, scope: "umbrella", keyHash: "m" };
    const { workerId: other } = await t.mutation(queue.workers.register, elsewhere);
    expect(other).not.toBe(workerId);
  });

  it("register places each worker by its key only", async () => {
    const register = async (scopeOf: string, keyHash: string) => {
      const { workerId } = await t.mutation(queue.workers.register, { scope: scopeOf, keyHash, name: "a" });
      return await t.run(async (ctx) => {
        const id = ctx.db.normalizeId("workers", workerId);
        return id === null ? undefined : (await ctx.db.get("workers", id))?.position;
      });
    };
    await Promise.all(Array.from({ length: 20 }, async (_, i) => await register(scope, `many-${String(i)}`)));
    expect(await register(scope, "late")).toBe(positionOf("late"));
    expect(await register("umbrella", "first")).toBe(positionOf("first"));
  });
});

describe("views", () => {
  it("views show a worker only to its own scope, and never its key", async () => {
    const { keyHash, workerId } = await addWorker(t, { models: ["b", "a", "b"] }, { groups: ["design"] });
    const view = await viewOf(workerId);
    expect(view).toEqual({
      workerId,
      externalId: null,
      name: expect.any(String) as string,
      status: "active",
      online: true,
      accepting: false,
      groups: ["design"],
      labels: [],
      dataClasses: [],
      capabilities: { kinds: ["hash"], models: ["a", "b"] },
      reported: { kinds: ["hash"], models: ["a", "b"] },
      allowedCapabilities: null,
      maxConcurrentJobs: null,
      keyPrefix: null,
      version: null,
      registeredAt: Date.now(),
      lastChangeAt: Date.now(),
    });
    expect(await t.query(queue.workers.get, { scope: "umbrella", workerId })).toBeNull();
    expect(await t.query(queue.workers.find, { keyHash })).toEqual({ ...view, scope });
    expect(await t.query(queue.workers.find, { keyHash: "nobody" })).toBeNull();
  });

  it("views tell whether it accepts jobs: from `take` to `leave`, busy or not", async () => {
    const worker = await addWorker(t);
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    expect(await viewOf(worker.workerId)).toMatchObject({ accepting: true });
    await t.mutation(queue.work.leave, { keyHash: worker.keyHash });
    expect(await viewOf(worker.workerId)).toMatchObject({ accepting: false });
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "completed" });
  });

  it("lists show workers in pages, and only online ones if asked", async () => {
    const workers = [await addWorker(t), await addWorker(t), await addWorker(t)];
    await t.mutation(queue.work.goodbye, { keyHash: String(workers[0]?.keyHash) });
    const first = await t.query(queue.workers.list, { scope, paginationOpts: { numItems: 2, cursor: null } });
    const rest = await t.query(queue.workers.list, {
      scope,
      paginationOpts: { numItems: 2, cursor: first.continueCursor },
    });
    expect([...first.page, ...rest.page].map(({ online }) => online)).toEqual([true, true, false]);
    const online = await t.query(queue.workers.list, { scope, online: true, paginationOpts });
    expect(online.page).toHaveLength(2);
    expect((await t.query(queue.workers.list, { scope: "umbrella", paginationOpts })).page).toEqual([]);
  });

  it("views show a worker's attempts, newest first", async () => {
    const worker = await addWorker(t);
    const [a, b] = [await submitJob(t), await submitJob(t, { kind: "hash", priority: "low" })];
    const { attemptId } = await takeOne(t, worker);
    vi.setSystemTime(Date.now() + 1_000);
    await complete(t, worker, attemptId);
    await fail(t, worker, (await takeOne(t, worker)).attemptId);
    const { page } = await t.query(queue.workers.history, {
      scope,
      workerId: worker.workerId,
      paginationOpts,
    });
    expect(page).toMatchObject([
      { jobId: b, status: "failed", error: { code: "crashed" } },
      { jobId: a, status: "succeeded" },
    ]);
    const { workerId } = worker;
    const theirs = t.query(queue.workers.history, { scope: "umbrella", workerId, paginationOpts });
    await expectRefusal(theirs, "not_found");
  });
});

describe("hello", () => {
  it("hello at a start gives back the jobs that the worker held before", async () => {
    const worker = await addWorker(t, { prefetch: 1 });
    const jobIds = await submitJobs(t, [{}, {}]);
    await take(t, worker, { jobs: 2 });
    const args = { keyHash: worker.keyHash, capabilities: { kinds: ["hash"], prefetch: 1 } };
    await t.mutation(queue.work.hello, { ...args, startup: false });
    expect(await heldBy(t, worker)).toHaveLength(2);
    await t.mutation(queue.work.hello, { ...args, startup: true });
    expect(await heldBy(t, worker)).toEqual([]);
    for (const jobId of jobIds)
      expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
  });

  it("hello keeps a worker waiting that only reconnects, but not one with other capabilities", async () => {
    const worker = await addWorker(t);
    await take(t, worker);
    const args = { keyHash: worker.keyHash, startup: false };
    await t.mutation(queue.work.hello, { ...args, capabilities: { kinds: ["hash", "hash"] } });
    expect(await waitingPositions(t, worker)).toHaveLength(1);
    await t.mutation(queue.work.hello, { ...args, capabilities: { kinds: ["ocr"] }, version: "2" });
    expect(await waitingPositions(t, worker)).toEqual([]);
    expect(await viewOf(worker.workerId)).toMatchObject({ version: "2", capabilities: { kinds: ["ocr"] } });
  });

  it.each([
    { kinds: ["hash"], concurrency: 0 },
    { kinds: ["hash"], concurrency: 17 },
    { kinds: ["hash"], prefetch: 0.5 },
    { kinds: [""] },
    { kinds: ["hash"], memoryMb: -1 },
    { kinds: Array.from({ length: 65 }, (_, i) => String(i)) },
  ])("hello refuses invalid values: %j", async (capabilities) => {
    const { keyHash } = await addWorker(t);
    await expectRefusal(t.mutation(queue.work.hello, { keyHash, capabilities, startup: false }), "invalid");
  });
});

describe("goodbye", () => {
  it("goodbye gives all jobs back and ends the wait, at once", async () => {
    const worker = await addWorker(t, { concurrency: 2 });
    const jobId = await submitJob(t);
    await take(t, worker, { jobs: 2 });
    await t.mutation(queue.work.goodbye, { keyHash: worker.keyHash });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
    expect(await waitingPositions(t, worker)).toEqual([]);
    expect(await viewOf(worker.workerId)).toMatchObject({ online: false, accepting: false });
  });
});

describe("update", () => {
  it("update pauses a worker: its jobs go to others, it stops waiting, and can be resumed", async () => {
    const worker = await addWorker(t, { concurrency: 2 });
    const { workerId } = worker;
    const jobId = await submitJob(t);
    const { jobs } = await take(t, worker, { jobs: 2 });
    await t.mutation(queue.workers.update, { scope, workerId, status: "paused", actor: "ada" });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
    expect(await waitingPositions(t, worker)).toEqual([]);
    expect(await complete(t, worker, String(jobs[0]?.attemptId), { jobs: 1 })).toMatchObject({
      kind: "fenced",
      jobs: [],
    });
    const { page } = await t.query(queue.events.list, { scope, paginationOpts });
    expect(page).toMatchObject([
      { actor: "ada", action: "worker.paused", subject: workerId },
      { actor: "app", action: "worker.registered", subject: workerId },
    ]);
    await t.mutation(queue.workers.update, { scope, workerId, status: "active" });
    await passTime(t, 1_000);
    expect((await takeOne(t, worker)).jobId).toBe(jobId);
  });

  it("update retires a worker for good", async () => {
    const { workerId, keyHash } = await addWorker(t);
    await t.mutation(queue.workers.update, { scope, workerId, status: "retired" });
    expect(await viewOf(workerId)).toMatchObject({ status: "retired", online: false });
    await expectRefusal(t.mutation(queue.work.leave, { keyHash }), "unauthorized");
    await expectRefusal(t.mutation(queue.workers.update, { scope, workerId, status: "active" }), "invalid");
  });

  it("update has a worker ask again when it may run other jobs", async () => {
    const worker = await addWorker(t);
    const { workerId } = worker;
    const jobId = await submitJob(t, { requirements: { dataClass: "secret" } });
    expect((await take(t, worker)).subscriptions).toHaveLength(1);
    await t.mutation(queue.workers.update, { scope, workerId, dataClasses: ["secret"], name: "Safe" });
    expect(await waitingPositions(t, worker)).toEqual([]);
    expect((await takeOne(t, worker)).jobId).toBe(jobId);
    expect(await viewOf(workerId)).toMatchObject({ name: "Safe", dataClasses: ["secret"] });
  });

  it("update refuses another scope's worker", async () => {
    const { workerId } = await addWorker(t);
    const change = { scope: "umbrella", workerId, status: "paused" as const };
    await expectRefusal(t.mutation(queue.workers.update, change), "not_found");
  });
});
