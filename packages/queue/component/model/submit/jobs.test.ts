import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobSpec } from "../../../shared/validators.ts";
import { note, startWithApp, statusesOf } from "../../testing/app.fixture.ts";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  refused,
  scope,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, claim, complete, shownTo, take, takeOne } from "../../testing/workers.fixture.ts";

const continueCancel = makeFunctionReference<"mutation">("maintenance:cancelMany");
const expireOverdue = makeFunctionReference<"mutation">("maintenance:expireOverdue");
const started = Date.parse("2026-11-21T08:00:00Z");

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());

async function submit(t: Backend, ...jobs: Partial<JobSpec>[]) {
  return await t.mutation(queue.jobs.submit, {
    scope,
    jobs: jobs.map((job) => ({ kind: "hash", payload: 1, ...job })),
  });
}

describe("jobs.submit", () => {
  it("submit puts a job into its lane, ready, with its payload", async () => {
    const t = startQueue();
    const requirements = { model: "m", tags: ["b", "a"] };
    const jobId = await submitJob(t, { requester: "ada", requirements, context: { order: 7 } });
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({
      status: "ready",
      waitsFor: null,
      requester: "ada",
      requirements: { model: "m", tags: ["a", "b"] },
      priority: "normal",
      attempts: 0,
      submittedAt: started,
      context: { order: 7 },
    });
    expect(await t.query(queue.jobs.payload, { scope, jobId })).toEqual({ payload: { file: "a" } });
  });

  it("submit creates one lane for equal requirements, in any order", async () => {
    const t = startQueue();
    const [one, two, three] = await submitJobs(t, [
      { requirements: { tags: ["b", "a"], gpu: false } },
      { requirements: { tags: ["a", "b", "a"] } },
      {},
    ]);
    const lanes = await Promise.all([one!, two!, three!].map(async (id) => (await jobRow(t, id)).laneId));
    expect(lanes[0]).toBe(lanes[1]);
    expect(lanes[2]).not.toBe(lanes[0]);
  });

  it("submit accepts 500 jobs at once, in their order, and no more", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 500 }, (_, n) => ({ payload: n })),
    );
    const ranks = await Promise.all(ids.map(async (id) => (await jobRow(t, id)).rank));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(new Set(ranks).size).toBe(500);
    expect(await refused(submit(t, ...Array.from({ length: 501 }, () => ({}))))).toBe("invalid");
    expect(await refused(submit(t))).toBe("invalid");
  });

  it("submit returns the same job for the same idempotency key, also within a call", async () => {
    const t = startQueue();
    const key = { idempotencyKey: "k", fingerprint: "f" };
    const first = await submit(t, key, {}, key);
    expect(first).toMatchObject({ kind: "submitted", repeated: 1 });
    const ids = first.kind === "submitted" ? first.jobIds : [];
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(await submit(t, key)).toEqual({ kind: "submitted", jobIds: [ids[0]], repeated: 1, handed: 0 });
    expect(await t.run(async (ctx) => (await ctx.db.query("jobs").collect()).length)).toBe(2);
  });

  it("submit accepts nothing if an idempotency key belongs to another request", async () => {
    const t = startQueue();
    await submitJob(t, { idempotencyKey: "k", fingerprint: "f" });
    const conflict = { kind: "conflict", idempotencyKey: "k" };
    expect(await submit(t, {}, { idempotencyKey: "k", fingerprint: "g" })).toEqual(conflict);
    expect(await t.run(async (ctx) => (await ctx.db.query("jobs").collect()).length)).toBe(1);
  });

  it("submit keeps the keys of scopes apart", async () => {
    const t = startQueue();
    const own = await submitJob(t, { idempotencyKey: "k", externalId: "x" });
    const [other] = await submitJobs(t, [{ idempotencyKey: "k", externalId: "x" }], { scope: "other" });
    expect(other).not.toBe(own);
    expect(await t.query(queue.jobs.get, { scope, jobId: other! })).toBeNull();
    expect(await t.query(queue.jobs.byExternalId, { scope, externalId: "x" })).toMatchObject({ jobId: own });
  });

  it("submit accepts nothing in a draining lane, and jobs again once it is open", async () => {
    const t = startQueue();
    const { laneId } = await jobRow(t, await submitJob(t, { idempotencyKey: "k" }));
    await t.mutation(queue.lanes.setState, { scope, laneId, state: "draining" });
    expect(await submit(t, { kind: "resize" }, {})).toEqual({ kind: "draining" });
    // A repeated job is no submission.
    expect(await submit(t, { idempotencyKey: "k" })).toMatchObject({ kind: "submitted", repeated: 1 });
    await t.mutation(queue.lanes.setState, { scope, laneId, state: "open" });
    expect(await submit(t, {})).toMatchObject({ kind: "submitted" });
  });

  it("submit limits the lanes of a scope", async () => {
    const t = startQueue();
    const models = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => ({ requirements: { model: `${name}${String(n)}` } }));
    await submit(t, ...models(64, "m"));
    expect(await refused(submit(t, ...models(1, "n")))).toBe("too_many_lanes");
    expect(await submit(t, ...models(1, "m"))).toMatchObject({ kind: "submitted" });
    await t.mutation(queue.settings.configure, { scope: "other", values: { maxLanes: 2 } });
    const elsewhere = async (jobs: object[]) => await submitJobs(t, jobs, { scope: "other" });
    expect(await elsewhere(models(2, "m"))).toHaveLength(2);
    expect(await refused(elsewhere(models(1, "n")))).toBe("too_many_lanes");
  });

  it.each<[string, Partial<JobSpec>, string]>([
    ["an empty kind", { kind: "" }, "invalid"],
    ["half a surrogate pair", { requester: "\ud800" }, "invalid"],
    ["a name of 256 characters", { externalId: "x".repeat(256) }, "invalid"],
    ["17 tags", { requirements: { tags: Array.from({ length: 17 }, String) } }, "invalid"],
    ["a negative delay", { delayMs: -1 }, "invalid"],
    ["a time that is none", { deadlineAt: Number.NaN }, "invalid"],
    ["no tries at all", { policy: { maxFailures: 0 } }, "invalid"],
    ["a jitter beyond 1", { policy: { backoff: { firstMs: 1, factor: 2, maxMs: 9, jitter: 2 } } }, "invalid"],
    ["a context of 5 KB", { context: "x".repeat(5_000) }, "too_large"],
    ["a payload beyond the settings", { payload: "x".repeat(524_287) }, "too_large"],
    ["a job to wait for that is not there", { after: { jobs: ["nope"], when: "finished" } }, "not_found"],
  ])("submit refuses %s", async (_, job, code) => {
    const t = startQueue();
    expect(await refused(submit(t, {}, job))).toBe(code);
    expect(await t.run(async (ctx) => await ctx.db.query("jobs").first())).toBeNull();
  });

  it("submit accepts a payload of exactly the configured bytes, in UTF-8", async () => {
    const t = startQueue();
    await t.mutation(queue.settings.configure, { scope, values: { maxPayloadBytes: 6 } });
    expect(await submit(t, { payload: "éé" })).toMatchObject({ kind: "submitted" });
    expect(await refused(submit(t, { payload: "ééé" }))).toBe("too_large");
  });
});

describe("waiting", () => {
  it("waiting ends for each delayed job when its time comes", async () => {
    const t = startQueue();
    const ids = await submitJobs(t, [{ delayMs: 60_000 }, { delayMs: 1_000 }, {}, { delayMs: 1_000 }]);
    const waits = "waiting for time";
    expect(await statusesOf(t, ids)).toEqual([waits, waits, "ready", waits]);
    expect(await t.query(queue.jobs.get, { scope, jobId: ids[0]! })).toMatchObject({
      dueAt: started + 60_000,
    });
    await passTime(t, 1_000);
    expect(await statusesOf(t, ids)).toEqual([waits, "ready", "ready", "ready"]);
    await passTime(t, 59_000);
    expect(await statusesOf(t, ids)).toEqual(["ready", "ready", "ready", "ready"]);
    expect(await t.query(queue.jobs.get, { scope, jobId: ids[0]! })).toMatchObject({ dueAt: null });
  });

  it("waiting ends for more than one piece of delayed jobs", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 250 }, () => ({ delayMs: 500 })),
    );
    await passTime(t, 500);
    expect(new Set(await statusesOf(t, ids))).toEqual(new Set(["ready"]));
  });

  it("waiting ends even if the clock is set back before each time has come", async () => {
    const t = startQueue();
    const ids = await submitJobs(t, [{ delayMs: 60_000 }, { delayMs: 1_000 }]);
    // The scheduler goes by another clock than the functions.
    vi.setSystemTime(started - 5);
    await passTime(t, 1_000);
    expect(await statusesOf(t, ids)).toEqual(["waiting for time", "ready"]);
    vi.setSystemTime(started + 1_000 - 5);
    await passTime(t, 59_005);
    expect(await statusesOf(t, ids)).toEqual(["ready", "ready"]);
  });

  it("waiting is for the job's time, then its dependencies, then its turn", async () => {
    const t = startQueue();
    await t.mutation(queue.limits.set, { scope, of: "requester", name: "ada", concurrency: 1 });
    const first = await submitJob(t);
    const after = { jobs: [first], when: "succeeded" as const };
    const [running] = await submitJobs(t, [{ requester: "ada" }]);
    const jobId = await submitJob(t, { requester: "ada", delayMs: 1_000, after });
    await passTime(t, 0);
    expect(await statusesOf(t, [running!, jobId])).toEqual(["ready", "waiting for time"]);
    await passTime(t, 1_000);
    expect(await statusesOf(t, [jobId])).toEqual(["waiting for jobs"]);
    const worker = await addWorker(t);
    const taken = [await takeOne(t, worker)];
    await complete(t, worker, taken[0]!.attemptId);
    if (taken[0]!.jobId !== first) {
      const next = await takeOne(t, worker);
      await complete(t, worker, next.attemptId);
    }
    await passTime(t, 0);
    expect((await statusesOf(t, [jobId]))[0]).toMatch(/^ready$|^waiting for turn$/);
  });
});

describe("jobs.cancel", () => {
  it("cancel cancels an open job, once, and only in its scope", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    expect(await t.mutation(queue.jobs.cancel, { scope: "other", jobId })).toEqual({ kind: "not-found" });
    expect(await t.mutation(queue.jobs.cancel, { scope, jobId })).toEqual({ kind: "canceled" });
    const again = { kind: "already-final", status: "canceled" };
    expect(await t.mutation(queue.jobs.cancel, { scope, jobId })).toEqual(again);
  });

  it("cancel takes a running job from its worker", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    const worker = await addWorker(t);
    const { attemptId } = await takeOne(t, worker);
    await t.mutation(queue.jobs.cancel, { scope, jobId });
    expect(await t.query(queue.work.held, { keyHash: worker.keyHash })).toEqual([]);
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await t.query(queue.jobs.attempts, { scope, jobId })).toMatchObject([
      { attemptId, status: "canceled", number: 1 },
    ]);
  });

  it("cancel removes the time of a delayed job", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { delayMs: 1_000 });
    await t.mutation(queue.jobs.cancel, { scope, jobId });
    await passTime(t, 1_000);
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({
      status: "canceled",
      dueAt: null,
    });
  });
});

describe("jobs.setPriority", () => {
  const setPriority = async (t: Backend, jobId: string, priority: "high" | "normal" | "low") =>
    await t.mutation(queue.jobs.setPriority, { scope, jobId, priority });

  it("lets a queued job go first, also in a lane that had no such priority", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 30 }, () => ({})),
    );
    expect(await setPriority(t, ids[29]!, "high")).toEqual({ kind: "changed" });
    expect(await takeOne(t, await addWorker(t))).toMatchObject({ jobId: ids[29] });
  });

  it("keeps jobs of the new priority in the order of their submission", async () => {
    const t = startQueue();
    await t.mutation(queue.limits.set, { scope, of: "requester", name: "ada", concurrency: 1 });
    const ada = { requester: "ada" };
    const [running, first, second, third] = await submitJobs(t, [ada, ada, ada, ada]);
    await passTime(t, 0);
    await setPriority(t, third!, "high");
    await setPriority(t, second!, "high");
    const line = await t.run(
      async (ctx) =>
        await ctx.db
          .query("jobs")
          .withIndex("by_requester_turn", (q) =>
            q.eq("scope", scope).eq("turnOf", "requester").eq("requester", "ada"),
          )
          .collect(),
    );
    expect(line.map(({ _id }) => _id)).toEqual([second, third, first]);
    expect(await statusesOf(t, [running!])).toEqual(["ready"]);
  });

  it("changes no job that runs, has ended, or belongs to another scope", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    const worker = await addWorker(t);
    const { attemptId } = await takeOne(t, worker);
    expect(await setPriority(t, jobId, "low")).toEqual({ kind: "not-queued" });
    await complete(t, worker, attemptId);
    expect(await setPriority(t, jobId, "low")).toEqual({ kind: "not-queued" });
    const theirs = { scope: "other", jobId, priority: "low" } as const;
    expect(await t.mutation(queue.jobs.setPriority, theirs)).toEqual({ kind: "not-found" });
  });
});

describe("jobs.cancelMany", () => {
  async function cancelMany(
    t: Backend,
    by: "requester" | "key" | "batch" | "lane",
    name: string,
    running = false,
  ) {
    await t.mutation(queue.jobs.cancelMany, { scope, by, name, running });
    await passTime(t, 0);
  }

  it("cancelMany cancels all jobs of a requester in pieces, and no others", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 120 }, () => ({ requester: "ada" })),
    );
    const others = await submitJobs(t, [{ requester: "bob" }, {}]);
    const [elsewhere] = await submitJobs(t, [{ requester: "ada" }], { scope: "other" });
    await cancelMany(t, "requester", "ada");
    expect(new Set(await statusesOf(t, ids))).toEqual(new Set(["canceled"]));
    expect(await statusesOf(t, others)).toEqual(["ready", "ready"]);
    expect((await jobRow(t, elsewhere!)).status).toBe("ready");
  });

  it("cancelMany spares jobs that are submitted later", async () => {
    const t = startQueue();
    await submitJobs(
      t,
      Array.from({ length: 60 }, () => ({ key: "k" })),
    );
    await t.mutation(queue.jobs.cancelMany, { scope, by: "key", name: "k", running: false });
    vi.setSystemTime(started + 1);
    const later = await submitJob(t, { key: "k" });
    await passTime(t, 0);
    expect(await statusesOf(t, [later])).toEqual(["ready"]);
    expect(
      (await t.query(queue.jobs.list, { scope, key: "k", status: "ready", ...page() })).page,
    ).toHaveLength(1);
  });

  it("cancelMany begins with the newest jobs, since workers take the oldest, and with those that no worker holds", async () => {
    const called: { readonly jobId: string }[] = [];
    const t = startWithApp(called);
    const ids = await submitJobs(
      t,
      Array.from({ length: 45 }, () => ({ requester: "ada", onFinal: note })),
    );
    const held = (await takeOne(t, await addWorker(t))).jobId;
    await cancelMany(t, "requester", "ada", true);
    const newestFirst = ids.filter((id) => id !== held).reverse();
    expect(called.map(({ jobId }) => jobId)).toEqual([...newestFirst, held]);
  });

  it("cancelMany passes jobs that have started or ended since it found them", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 3 }, () => ({ requester: "ada" })),
    );
    const worker = await addWorker(t, { concurrency: 2 });
    const [done, running] = (await take(t, worker, { jobs: 2 })).jobs;
    await complete(t, worker, done!.attemptId);
    const found = { scope, by: "requester", name: "ada", running: false, jobIds: ids };
    await t.mutation(continueCancel, found);
    const left = ids.find((id) => id !== done!.jobId && id !== running!.jobId);
    expect(await statusesOf(t, [done!.jobId, running!.jobId, left!])).toEqual([
      "succeeded",
      "running",
      "canceled",
    ]);
  });

  it.each([true, false])("cancelMany cancels running jobs only if asked: %s", async (running) => {
    const t = startQueue();
    const batchId = await t.mutation(queue.batches.create, { scope });
    const ids = await submitJobs(t, [{}, {}], { batchId });
    await takeOne(t, await addWorker(t));
    await cancelMany(t, "batch", batchId, running);
    expect((await statusesOf(t, ids)).sort()).toEqual(["canceled", running ? "canceled" : "running"]);
  });

  it("cancelMany cancels a lane's jobs by its id, and none of another scope", async () => {
    const t = startQueue();
    const ids = await submitJobs(t, [{}, { delayMs: 5_000 }, { kind: "resize" }]);
    const { laneId } = await jobRow(t, ids[0]!);
    await t.mutation(queue.jobs.cancelMany, { scope: "other", by: "lane", name: laneId, running: true });
    expect((await statusesOf(t, ids))[0]).toBe("ready");
    await cancelMany(t, "lane", laneId);
    expect(await statusesOf(t, ids)).toEqual(["canceled", "canceled", "ready"]);
  });
});

describe("time limits", () => {
  it("a time limit expires a job that is not started by expiresAt", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { expiresAt: started + 1_000 });
    await passTime(t, 999);
    expect(await statusesOf(t, [jobId])).toEqual(["ready"]);
    await passTime(t, 1);
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({
      status: "expired",
      error: { code: "expired" },
    });
  });

  it("a time limit lets a started job continue until its deadline", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { expiresAt: started + 1_000, deadlineAt: started + 5_000 });
    const worker = await addWorker(t);
    await takeOne(t, worker);
    await passTime(t, 1_000);
    expect(await statusesOf(t, [jobId])).toEqual(["running"]);
    await passTime(t, 4_000);
    expect(await statusesOf(t, [jobId])).toEqual(["expired"]);
    expect(await t.query(queue.work.held, { keyHash: worker.keyHash })).toEqual([]);
  });

  it("a job that was started in time may go to another worker at any later time", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { expiresAt: started + 1_000 });
    const [{ keyHash }, other, waiting] = [await addWorker(t), await addWorker(t), await addWorker(t)];
    const release = async (by: string, attemptId: string) =>
      await t.mutation(queue.work.release, { keyHash: by, attemptIds: [attemptId], reason: "", leave: true });
    const { attemptId } = await takeOne(t, { keyHash, workerId: "" });
    await passTime(t, 1_000);
    await release(keyHash, attemptId);
    const again = await takeOne(t, other);
    expect(again).toMatchObject({ jobId, number: 2 });
    await take(t, waiting);
    await release(other.keyHash, again.attemptId);
    expect(await shownTo(t, waiting)).toMatchObject([{ jobId }]);
    expect(await claim(t, waiting, jobId)).toMatchObject({ kind: "claimed" });
  });

  it("a distant time limit needs no timer, and a run of each minute finds it", async () => {
    const t = startQueue();
    const distant = { deadlineAt: started + 600_000 };
    const early = await submitJob(t, { expiresAt: started + 120_000, ...distant });
    await takeOne(t, await addWorker(t));
    const [first, ...more] = await submitJobs(
      t,
      Array.from({ length: 120 }, () => distant),
    );
    const timers = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
    expect(timers.filter(({ name }) => name.includes("expire"))).toEqual([]);
    await passTime(t, 599_000);
    await t.mutation(expireOverdue, {});
    // The worker is lost, but the job was started in time.
    expect(await statusesOf(t, [first!, early])).toEqual(["ready", "ready"]);
    await passTime(t, 1_000);
    await t.mutation(expireOverdue, {});
    await passTime(t, 0);
    expect(new Set(await statusesOf(t, [first!, ...more, early]))).toEqual(new Set(["expired"]));
    expect((await jobRow(t, first!)).runsOutAt).toBeUndefined();
  });

  it("a job whose time is over is accepted, and expires at once", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { deadlineAt: 0 });
    await passTime(t, 0);
    expect(await statusesOf(t, [jobId])).toEqual(["expired"]);
  });
});

function page(numItems = 10, cursor: string | null = null) {
  return { paginationOpts: { numItems, cursor } };
}

describe("filters of jobs.list", () => {
  it("lists the jobs of a model and of a time", async () => {
    const t = startQueue();
    const startedAt = Date.now();
    const old = await submitJob(t, { requirements: { model: "m" } });
    vi.setSystemTime(startedAt + 60_000);
    const [other, young] = await submitJobs(t, [{}, { requirements: { model: "m" }, requester: "ada" }]);
    const listed = async (filter: object) => {
      const which = { scope, ...filter, paginationOpts: { numItems: 10, cursor: null } };
      return (await t.query(queue.jobs.list, which)).page.map(({ jobId }) => jobId);
    };
    expect(await listed({ model: "m" })).toEqual([young, old]);
    expect(await listed({ from: startedAt + 1 })).toEqual([young, other]);
    expect(await listed({ to: startedAt + 60_000 })).toEqual([old]);
    expect(await listed({ requester: "ada", from: startedAt + 1, model: "m" })).toEqual([young]);
    expect(await listed({ requester: "ada", to: startedAt + 1 })).toEqual([]);
  });
});

describe("jobs.list", () => {
  it("list pages through all jobs of a scope, newest first, with any status", async () => {
    const t = startQueue();
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      vi.setSystemTime(started + n);
      ids.push(await submitJob(t, n % 2 === 0 ? {} : { delayMs: 1_000 }));
    }
    await t.mutation(queue.jobs.cancel, { scope, jobId: ids[3]! });
    await submitJobs(t, [{}], { scope: "other" });
    const first = await t.query(queue.jobs.list, { scope, ...page(4) });
    const second = await t.query(queue.jobs.list, { scope, ...page(4, first.continueCursor) });
    const found = [...first.page, ...second.page].map(({ jobId }) => jobId);
    expect(found).toEqual([...ids].reverse());
    expect([first.isDone, second.isDone]).toEqual([false, true]);
  });

  it.each([
    [{ status: "ready" }, [2, 0]],
    [{ requester: "ada" }, [3, 2]],
    [{ requester: "ada", status: "ready" }, [2]],
    [{ key: "k" }, [2, 1]],
    [{ key: "k", requester: "ada" }, [2]],
  ] as const)("list filters by %o", async (filter, expected) => {
    const t = startQueue();
    const ids: string[] = [];
    const specs = [
      {},
      { key: "k", delayMs: 9 },
      { key: "k", requester: "ada" },
      { requester: "ada", delayMs: 9 },
    ];
    for (const spec of specs) {
      vi.setSystemTime(started + ids.length);
      ids.push(await submitJob(t, spec));
    }
    const { page: found } = await t.query(queue.jobs.list, { scope, ...filter, ...page() });
    expect(found.map(({ jobId }) => ids.indexOf(jobId))).toEqual(expected);
  });

  it("list filters by batch, and returns nothing for an unknown batch", async () => {
    const t = startQueue();
    const batchId = await t.mutation(queue.batches.create, { scope });
    const ids = await submitJobs(t, [{}, {}], { batchId });
    await submitJob(t);
    const { page: found } = await t.query(queue.jobs.list, { scope, batchId, ...page() });
    expect(found.map(({ jobId }) => jobId).sort()).toEqual([...ids].sort());
    const none = await t.query(queue.jobs.list, { scope, batchId: "nope", ...page() });
    expect(none).toMatchObject({ page: [], isDone: true });
    expect((await t.query(queue.jobs.list, { scope: "other", batchId, ...page() })).page).toEqual([]);
  });
});

describe("finished jobs", () => {
  it("a finished job has its result, and its attempts with their workers", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    const worker = await addWorker(t);
    const { attemptId } = await takeOne(t, worker);
    expect(await t.query(queue.jobs.result, { scope, jobId })).toBeNull();
    await complete(t, worker, attemptId);
    expect(await t.query(queue.jobs.result, { scope, jobId })).toEqual({ result: "done" });
    expect(await t.query(queue.jobs.attempts, { scope, jobId })).toMatchObject([
      { attemptId, workerId: worker.workerId, status: "succeeded", number: 1 },
    ]);
    expect(await t.query(queue.jobs.attempts, { scope: "other", jobId })).toEqual([]);
    expect(await t.query(queue.jobs.payload, { scope: "other", jobId })).toBeNull();
  });
});
