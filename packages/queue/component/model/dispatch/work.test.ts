import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  scope,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import {
  addWorker,
  claim,
  complete,
  crash,
  expectRefusal,
  fail,
  heldBy,
  shownTo,
  take,
  takeOne,
  waitingPositions,
} from "../../testing/workers.fixture.ts";

let t: Backend;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
});
afterEach(() => {
  vi.useRealTimers();
});

const status = async (jobId: string) => (await jobRow(t, jobId)).status;

describe("take", () => {
  it("take returns a ready job with everything that is needed to run it", async () => {
    const worker = await addWorker(t, { models: ["m"] });
    const jobId = await submitJob(t, {
      payload: { file: "b" },
      requirements: { model: "m" },
      watched: true,
      deadlineAt: Date.now() + 9_000,
    });
    const { jobs, subscriptions } = await take(t, worker);
    expect(jobs).toEqual([
      {
        attemptId: expect.any(String) as string,
        jobId,
        kind: "hash",
        payload: { file: "b" },
        requirements: { model: "m" },
        number: 1,
        begun: true,
        watched: true,
        remainingMs: 9_000,
      },
    ]);
    expect(subscriptions).toEqual([]);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "running", startedAt: Date.now(), attempts: 1 });
    expect(await t.query(queue.jobs.attempts, { scope: "acme", jobId })).toMatchObject([
      { workerId: worker.workerId, model: "m", status: "running", number: 1 },
    ]);
  });

  it("take returns as many jobs as are wanted and allowed, and prefetches those beyond the concurrency", async () => {
    const worker = await addWorker(t, { concurrency: 2, prefetch: 1 });
    await submitJobs(t, [{}, {}, {}, {}]);
    const { jobs } = await take(t, worker, { jobs: 9 });
    expect(jobs.map(({ begun }) => begun)).toEqual([true, true, false]);
    expect(new Set(jobs.map(({ jobId }) => jobId)).size).toBe(3);
    const { keyHash } = worker;
    const again = await t.mutation(queue.work.take, { keyHash, demand: { jobs: 1 } });
    expect(again).toMatchObject({ kind: "ok", jobs: [{ attemptId: jobs[2]?.attemptId }], subscriptions: [] });
    await t.mutation(queue.work.start, { keyHash, attemptIds: [jobs[2]!.attemptId] });
    expect(await t.mutation(queue.work.take, { keyHash, demand: { jobs: 1 } })).toEqual({
      kind: "unable",
      reason: "full",
    });
  });

  it("take returns only one job to a worker that does not report its concurrency", async () => {
    const worker = await addWorker(t);
    await submitJobs(t, [{}, {}]);
    expect((await take(t, worker, { jobs: 5 })).jobs).toHaveLength(1);
  });

  it("take never lets a worker hold more than 16", async () => {
    const worker = await addWorker(t, { concurrency: 16, prefetch: 16 });
    await submitJobs(
      t,
      Array.from({ length: 20 }, () => ({})),
    );
    expect((await take(t, worker, { jobs: 20 })).jobs).toHaveLength(16);
  });

  it("take returns the available jobs, and has the worker wait for the rest", async () => {
    const worker = await addWorker(t, { concurrency: 3 });
    await submitJobs(t, [{}, {}]);
    const { jobs, subscriptions } = await take(t, worker, { jobs: 3 });
    expect(jobs).toHaveLength(2);
    expect(subscriptions).toHaveLength(1);
    const jobId = await submitJob(t);
    expect(await shownTo(t, worker)).toMatchObject([{ jobId }]);
  });

  it("take returns nothing to a paused worker, or if no job is wanted", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t);
    expect(await take(t, worker, { jobs: 0 })).toMatchObject({ jobs: [], subscriptions: [] });
    await t.mutation(queue.workers.update, { scope: "acme", workerId: worker.workerId, status: "paused" });
    const outcome = await t.mutation(queue.work.take, { keyHash: worker.keyHash, demand: { jobs: 1 } });
    expect(outcome).toEqual({ kind: "unable", reason: "paused" });
    expect(await claim(t, worker, jobId)).toEqual({ kind: "unable" });
  });

  it("take returns no job of a paused lane, and all of a draining one", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t);
    const { laneId } = await jobRow(t, jobId);
    await t.mutation(queue.lanes.setState, { scope: "acme", laneId, state: "paused" });
    const { jobs, subscriptions } = await take(t, worker);
    expect(jobs).toEqual([]);
    expect(subscriptions).toHaveLength(1);
    expect(await shownTo(t, worker)).toEqual([]);
    expect(await claim(t, worker, jobId)).toEqual({ kind: "unable" });
    await t.mutation(queue.lanes.setState, { scope: "acme", laneId, state: "draining" });
    expect(await shownTo(t, worker)).toMatchObject([{ jobId }]);
    expect(await claim(t, worker, jobId)).toMatchObject({ kind: "claimed" });
  });

  it("take returns only jobs that the worker can and may run", async () => {
    const plain = await addWorker(t, { kinds: ["chat"] });
    const able = await addWorker(t, { kinds: ["chat"], models: ["m"] }, { groups: ["design"] });
    const jobId = await submitJob(t, { kind: "chat", requirements: { model: "m", groups: ["design"] } });
    expect((await take(t, plain)).jobs).toEqual([]);
    expect(await claim(t, plain, jobId)).toEqual({ kind: "unable" });
    expect((await takeOne(t, able)).jobId).toBe(jobId);
  });

  it("take returns no job of another scope", async () => {
    const stranger = await addWorker(t, {}, { scope: "umbrella" });
    const jobId = await submitJob(t);
    expect((await take(t, stranger)).jobs).toEqual([]);
    expect(await claim(t, stranger, jobId)).toEqual({ kind: "taken" });
    const own = await addWorker(t);
    const { attemptId } = await takeOne(t, own);
    expect(await complete(t, stranger, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await fail(t, stranger, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await status(jobId)).toBe("running");
  });

  it("take refuses an unknown key, a retired worker's key, and an invalid demand", async () => {
    const demand = { jobs: 1 };
    await expectRefusal(t.mutation(queue.work.take, { keyHash: "nobody", demand }), "unauthorized");
    await expectRefusal(t.query(queue.work.held, { keyHash: "nobody" }), "unauthorized");
    const { keyHash, workerId } = await addWorker(t);
    await expectRefusal(t.mutation(queue.work.take, { keyHash, demand: { jobs: 0.5 } }), "invalid");
    const cursor = { laneId: "x", place: NaN, turn: 0 };
    await expectRefusal(t.mutation(queue.work.take, { keyHash, demand: { jobs: 1, cursor } }), "invalid");
    await t.mutation(queue.workers.update, { scope: "acme", workerId, status: "retired" });
    await expectRefusal(t.mutation(queue.work.take, { keyHash, demand }), "unauthorized");
    await expectRefusal(t.mutation(queue.work.heartbeat, { keyHash }), "unauthorized");
  });

  it("take skips a job whose time to start has passed", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t, { expiresAt: Date.now() + 1_000 });
    vi.setSystemTime(Date.now() + 1_000);
    expect((await take(t, worker)).jobs).toEqual([]);
    expect(await claim(t, worker, jobId)).toEqual({ kind: "taken" });
  });
});

describe("waiting", () => {
  it("waiting ends with a claim, and continues if more is wanted", async () => {
    const worker = await addWorker(t, { concurrency: 2 }, { position: 0 });
    await take(t, worker);
    const [first, second] = await submitJobs(t, [{}, {}]);
    await passTime(t, 0);
    expect(await shownTo(t, worker)).toHaveLength(2);
    const { keyHash } = worker;
    const more = await t.mutation(queue.work.claim, {
      keyHash,
      jobId: String(first),
      late: false,
      demand: { jobs: 1 },
    });
    expect(more).toMatchObject({ kind: "claimed", subscriptions: [{ position: 0 }] });
    expect(await shownTo(t, worker)).toMatchObject([{ jobId: second }]);
    expect(await claim(t, worker, String(second))).toMatchObject({ kind: "claimed", subscriptions: [] });
    expect(await waitingPositions(t, worker)).toEqual([]);
    const third = await submitJob(t);
    expect(await claim(t, worker, third)).toEqual({ kind: "unable" });
  });

  it("waiting starts before any lane exists, and ends with the first lane", async () => {
    const worker = await addWorker(t, { kinds: ["hash", "ocr"] }, { position: 0 });
    const { subscriptions } = await take(t, worker);
    expect(subscriptions).toEqual([{ laneId: "", position: 0 }]);
    const jobId = await submitJob(t);
    await passTime(t, 0);
    const { laneId } = await jobRow(t, jobId);
    expect(await waitingPositions(t, worker)).toEqual([{ laneId, position: 0 }]);
    expect(await shownTo(t, worker)).toEqual([{ jobId, laneId, late: false }]);
    // Even if it does not know its new position yet.
    const asked = { keyHash: worker.keyHash, subscriptions };
    expect((await t.query(queue.work.candidates, asked)).jobs).toEqual([{ jobId, laneId, late: false }]);
    const ocr = await submitJob(t, { kind: "ocr" });
    await passTime(t, 0);
    expect(await shownTo(t, worker)).toMatchObject([{ jobId }, { jobId: ocr }]);
  });

  it("a waiting worker is woken by its own arc, and by the next worker's as a backup", async () => {
    await addLane();
    const [low, middle, high] = [
      await addWorker(t, {}, { position: 0 }),
      await addWorker(t, {}, { position: 20_000 }),
      await addWorker(t, {}, { position: 40_000 }),
    ];
    for (const worker of [low, middle, high]) await take(t, worker);
    const jobId = await submitJob(t);
    await placeAt(jobId, 30_000);
    expect(await shownTo(t, middle)).toMatchObject([{ jobId, late: false }]);
    expect(await shownTo(t, low)).toMatchObject([{ jobId, late: true }]);
    expect(await shownTo(t, high)).toEqual([]);
    await placeAt(jobId, 65_000);
    expect(await shownTo(t, high)).toMatchObject([{ jobId, late: false }]);
    expect(await shownTo(t, middle)).toMatchObject([{ jobId, late: true }]);
    expect(await shownTo(t, low)).toEqual([]);
  });

  it("waiting ends for a worker whose backup took its job late; it notices and asks again", async () => {
    await addLane();
    const [backup, sleeper] = [
      await addWorker(t, {}, { position: 0 }),
      await addWorker(t, {}, { position: 20_000 }),
    ];
    for (const worker of [backup, sleeper]) await take(t, worker);
    const jobId = await submitJob(t);
    await placeAt(jobId, 30_000);
    expect(await claim(t, backup, jobId, true)).toMatchObject({ kind: "claimed" });
    expect(await waitingPositions(t, sleeper)).toEqual([]);
    expect((await take(t, sleeper)).subscriptions).toHaveLength(1);
  });

  it("waiting continues for the others if a job is taken in time", async () => {
    await addLane();
    const [one, other] = [await addWorker(t), await addWorker(t)];
    for (const worker of [one, other]) await take(t, worker);
    const jobId = await submitJob(t);
    const [first, second] = (await shownTo(t, one))[0]?.late === false ? [one, other] : [other, one];
    expect(await claim(t, first, jobId)).toMatchObject({ kind: "claimed" });
    expect(await waitingPositions(t, second)).toHaveLength(1);
    expect(await claim(t, second, jobId)).toEqual({ kind: "taken" });
  });

  it("waiting ends when the worker leaves, and the worker keeps its jobs", async () => {
    const worker = await addWorker(t, { concurrency: 2 });
    await submitJob(t);
    const { jobs } = await take(t, worker, { jobs: 2 });
    expect(await waitingPositions(t, worker)).toHaveLength(1);
    await t.mutation(queue.work.leave, { keyHash: worker.keyHash });
    expect(await waitingPositions(t, worker)).toEqual([]);
    expect(await heldBy(t, worker)).toMatchObject([{ attemptId: jobs[0]?.attemptId }]);
  });

  it("a waiting worker is shown at most eight jobs, the highest priority and oldest first", async () => {
    await addLane();
    const worker = await addWorker(t);
    await take(t, worker);
    await submitJobs(
      t,
      Array.from({ length: 12 }, () => ({})),
    );
    vi.setSystemTime(Date.now() + 1);
    const high = await submitJob(t, { priority: "high" });
    const shown = await shownTo(t, worker);
    expect(shown.length).toBeLessThanOrEqual(8);
    expect(shown[0]?.jobId).toBe(high);
  });
});

describe("complete", () => {
  it("complete keeps result and report, and assigns the next job in the same call", async () => {
    const worker = await addWorker(t);
    const [first, second] = await submitJobs(t, [{}, {}]);
    const held = await takeOne(t, worker);
    const outcome = await t.mutation(queue.work.complete, {
      keyHash: worker.keyHash,
      attemptId: held.attemptId,
      result: { digest: "ab" },
      report: { ms: 5 },
      demand: { jobs: 1 },
    });
    expect(outcome.kind).toBe("completed");
    const other = held.jobId === first ? second : first;
    expect(outcome.jobs).toMatchObject([{ jobId: other, begun: true }]);
    expect(await status(held.jobId)).toBe("succeeded");
    const result = await t.query(queue.jobs.result, { scope: "acme", jobId: held.jobId });
    expect(result).toEqual({ result: { digest: "ab" } });
    const view = await t.query(queue.jobs.get, { scope: "acme", jobId: held.jobId });
    expect(view).toMatchObject({ report: { ms: 5 }, finishedAt: Date.now() });
    const attempts = await t.query(queue.jobs.attempts, { scope: "acme", jobId: held.jobId });
    expect(attempts).toMatchObject([{ status: "succeeded", report: { ms: 5 }, endedAt: Date.now() }]);
  });

  it("complete changes nothing if it is repeated", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    await complete(t, worker, attemptId);
    await submitJob(t);
    const again = await complete(t, worker, attemptId, { jobs: 1 });
    expect(again).toMatchObject({ kind: "completed", jobs: [] });
    const kept = await t.run(async (ctx) => await ctx.db.query("attempts").collect());
    expect(kept.map((row) => [row.jobId, row.result])).toEqual([[jobId, "done"]]);
    expect(await t.run(async (ctx) => await ctx.db.query("results").collect())).toEqual([]);
  });

  it("complete is fenced after the job went to another worker, and may still return the next job", async () => {
    // Its home is the whole ring up to the other worker.
    const slow = await addWorker(t, {}, { position: 1 });
    const quick = await addWorker(t, {}, { position: 0.5 });
    const jobId = await submitJob(t);
    const { attemptId } = await takeOne(t, slow);
    await t.mutation(queue.work.release, {
      keyHash: slow.keyHash,
      attemptIds: [attemptId],
      reason: "",
      leave: true,
    });
    const taken = await takeOne(t, quick);
    const other = await submitJob(t);
    const late = await complete(t, slow, attemptId, { jobs: 1 });
    expect(late).toMatchObject({ kind: "fenced", jobs: [{ jobId: other }] });
    expect(await complete(t, quick, taken.attemptId)).toMatchObject({ kind: "completed" });
    expect(await status(jobId)).toBe("succeeded");
  });

  it("complete is fenced after a cancellation, which `held` shows", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    await t.mutation(queue.jobs.cancel, { scope: "acme", jobId });
    expect(await heldBy(t, worker)).toEqual([]);
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await status(jobId)).toBe("canceled");
  });

  it("complete accepts the result of a prefetched job, and starts the jobs that it names", async () => {
    const worker = await addWorker(t, { prefetch: 2 });
    await submitJobs(t, [{}, {}, {}]);
    const { jobs } = await take(t, worker, { jobs: 3 });
    const [running, ahead, next] = jobs.map(({ attemptId }) => attemptId);
    expect(await complete(t, worker, String(ahead))).toMatchObject({ kind: "completed" });
    const { keyHash } = worker;
    await t.mutation(queue.work.complete, {
      keyHash,
      attemptId: String(running),
      result: 1,
      starts: [String(next), "gone"],
      demand: { jobs: 0 },
    });
    expect(await heldBy(t, worker)).toMatchObject([{ attemptId: next, begun: true }]);
  });

  it("complete refuses a result above the limit, and then accepts a smaller one", async () => {
    await t.mutation(queue.settings.configure, { scope: "acme", values: { maxPayloadBytes: 64 } });
    // So much is always taken.
    const most = 4_096;
    const worker = await addWorker(t);
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    const { keyHash } = worker;
    const demand = { jobs: 0 };
    const large = { keyHash, attemptId, result: "é".repeat(most / 2), demand };
    await expectRefusal(t.mutation(queue.work.complete, large), "too_large");
    expect(
      await t.mutation(queue.work.complete, { ...large, result: "é".repeat(most / 2 - 1) }),
    ).toMatchObject({
      kind: "completed",
    });
  });

  it("complete has a woken worker wait again without a search, because ready jobs are shown to it", async () => {
    await addLane();
    const worker = await addWorker(t, {}, { position: 0 });
    await take(t, worker);
    const [first, second] = await submitJobs(t, [{}, {}]);
    const claimed = await claim(t, worker, String(first));
    if (claimed.kind !== "claimed") throw new Error(claimed.kind);
    const next = await complete(t, worker, claimed.job.attemptId, { jobs: 1 });
    expect(next).toMatchObject({ kind: "completed", jobs: [], subscriptions: [{ position: 0 }] });
    expect(await shownTo(t, worker)).toMatchObject([{ jobId: second }]);
    // A job that waited for a worker shows that there is more work than workers, so the worker searches at once.
    await submitJob(t);
    vi.setSystemTime(Date.now() + 1_000);
    const late = await claim(t, worker, String(second));
    if (late.kind !== "claimed") throw new Error(late.kind);
    expect((await complete(t, worker, late.job.attemptId, { jobs: 1 })).jobs).toHaveLength(1);
  });

  it("complete of a woken job gives one to prefetch, if the worker begins another one that it had prefetched", async () => {
    await addLane();
    const worker = await addWorker(t, { concurrency: 1, prefetch: 1 }, { position: 0 });
    await take(t, worker);
    const [first, ...others] = await submitJobs(t, [{}, {}, {}]);
    const claimed = await claim(t, worker, String(first));
    if (claimed.kind !== "claimed") throw new Error(claimed.kind);
    const ahead = await takeOne(t, worker);
    expect(ahead.begun).toBe(false);
    const end = { keyHash: worker.keyHash, attemptId: claimed.job.attemptId, result: "done" };
    const next = await t.mutation(queue.work.complete, {
      ...end,
      starts: [ahead.attemptId],
      demand: { jobs: 1 },
    });
    const [further] = next.jobs;
    expect(further).toMatchObject({ begun: false });
    expect([ahead.jobId, further?.jobId].toSorted()).toEqual(others.map(String).toSorted());
  });

  it("complete has the worker wait in all its lanes if no job is left", async () => {
    const worker = await addWorker(t, { kinds: ["hash", "ocr"] });
    await submitJobs(t, [{}, { kind: "ocr" }]);
    await passTime(t, 0);
    const { attemptId } = await takeOne(t, worker);
    const next = await complete(t, worker, attemptId, { jobs: 1 });
    const last = await complete(t, worker, String(next.jobs[0]?.attemptId), { jobs: 1 });
    expect(last).toMatchObject({ kind: "completed", jobs: [] });
    expect(last.subscriptions).toHaveLength(2);
  });
});

describe("fail", () => {
  const noBackOff = { backoff: { firstMs: 0, factor: 1, maxMs: 0, jitter: 0 } };
  const retry = async (jobId: string) =>
    await t.mutation(queue.deadLetters.retry, { scope, jobId, actor: "eve" });

  it("fail has the job retried after the back-off, and returns the next job", async () => {
    const worker = await addWorker(t);
    const policy = { backoff: { firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0 } };
    const jobId = await submitJob(t, { policy });
    const { attemptId } = await takeOne(t, worker);
    const other = await submitJob(t);
    const outcome = await fail(t, worker, attemptId, crash, { jobs: 1 });
    expect(outcome).toMatchObject({ kind: "failed", jobs: [{ jobId: other }] });
    expect(await jobRow(t, jobId)).toMatchObject({
      status: "waiting",
      waitsFor: "time",
      dueAt: Date.now() + 1_000,
      failures: 1,
    });
    await passTime(t, 999);
    expect(await status(jobId)).toBe("waiting");
    await passTime(t, 1);
    expect(await status(jobId)).toBe("ready");
  });

  it("fail makes a dead letter after the last failure, or if the error is not retryable", async () => {
    const worker = await addWorker(t);
    const policy = { maxFailures: 2, backoff: { firstMs: 0, factor: 1, maxMs: 0, jitter: 0 } };
    const jobId = await submitJob(t, { policy });
    await fail(t, worker, (await takeOne(t, worker)).attemptId);
    expect(await status(jobId)).toBe("ready");
    await fail(t, worker, (await takeOne(t, worker)).attemptId);
    const error = { code: "crashed", message: "It crashed." };
    expect(await jobRow(t, jobId)).toMatchObject({ status: "failed", failures: 2, error });
    const other = await submitJob(t);
    await fail(t, worker, (await takeOne(t, worker)).attemptId, { ...crash, retryable: false });
    expect(await jobRow(t, other)).toMatchObject({ status: "failed", failures: 1 });
  });

  it("fail lets one other worker try a job that made its worker fail, and then makes it a dead letter", async () => {
    await addLane();
    const [first, second] = [await addWorker(t), await addWorker(t)];
    const byJob = { ...crash, byJob: true };
    await take(t, first);
    await take(t, second);
    const jobId = await submitJob(t, { policy: noBackOff });
    const claimed = await claim(t, first, jobId);
    if (claimed.kind !== "claimed") throw new Error(claimed.kind);
    await fail(t, first, claimed.job.attemptId, byJob, { jobs: 1 });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 1, failuresByJob: 1 });
    expect(await shownTo(t, first)).toEqual([]);
    expect((await take(t, first)).jobs).toEqual([]);
    await fail(t, second, (await takeOne(t, second)).attemptId, byJob);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "failed", failures: 2, failuresByJob: 2 });
    expect(await retry(jobId)).toEqual({ kind: "ready" });
    expect((await jobRow(t, jobId)).failuresByJob).toBeUndefined();
  });

  it("fail counts failures by the job apart from other failures", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t, { policy: noBackOff });
    await fail(t, worker, (await takeOne(t, worker)).attemptId, { ...crash, byJob: true });
    await fail(t, worker, (await takeOne(t, worker)).attemptId);
    await fail(t, worker, (await takeOne(t, worker)).attemptId);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 3, failuresByJob: 1 });
    await fail(t, worker, (await takeOne(t, worker)).attemptId, { ...crash, byJob: true });
    expect(await status(jobId)).toBe("failed");
    const once = await submitJob(t, { policy: { ...noBackOff, maxFailuresByJob: 1 } });
    await fail(t, worker, (await takeOne(t, worker)).attemptId, { ...crash, byJob: true });
    expect(await status(once)).toBe("failed");
  });

  it("fail is fenced when it is repeated", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    await fail(t, worker, attemptId);
    expect(await fail(t, worker, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await jobRow(t, jobId)).toMatchObject({ failures: 1 });
  });

  const unfit = { code: "no_model", message: "The model does not load.", retryable: false, unfit: true };

  it("fail gives the job of an unfit worker to another at once, wherever that waits", async () => {
    await addLane();
    const workers = [await addWorker(t), await addWorker(t), await addWorker(t), await addWorker(t)];
    for (const worker of workers) await take(t, worker);
    const jobId = await submitJob(t);
    for (const tries of [1, 2, 3]) {
      const shown = await Promise.all(workers.map((worker) => shownTo(t, worker)));
      const woken = workers.filter((_, i) => shown[i]?.[0]?.late === false);
      expect(woken).toHaveLength(1);
      for (const worker of woken) {
        const claimed = await claim(t, worker, jobId);
        if (claimed.kind !== "claimed") throw new Error(claimed.kind);
        await fail(t, worker, claimed.job.attemptId, unfit, { jobs: 1 });
        expect(await claim(t, worker, jobId)).toEqual({ kind: "unable" });
      }
      expect((await jobRow(t, jobId)).unfit).toHaveLength(tries);
      expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
    }
  });

  it("fail ends a job that 16 workers could not run, and not before", async () => {
    const jobId = await submitJob(t);
    for (let tried = 0; tried < 16; tried += 1) {
      expect(await jobRow(t, jobId)).toMatchObject({ status: "ready" });
      const worker = await addWorker(t);
      await fail(t, worker, (await takeOne(t, worker)).attemptId, unfit);
    }
    expect(await jobRow(t, jobId)).toMatchObject({ status: "failed", failures: 0 });
  });

  it("fail lets an unfit worker try again in its next life", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t);
    const life = { keyHash: worker.keyHash, capabilities: { kinds: ["hash"] }, startup: true };
    for (let n = 0; n < 6; n += 1) {
      await fail(t, worker, (await takeOne(t, worker)).attemptId, unfit);
      expect((await take(t, worker)).jobs).toEqual([]);
      await t.mutation(queue.work.hello, life);
    }
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0, attempts: 6 });
  });

  it("fail lets no unfit worker try again when only its time before the next job has changed", async () => {
    const speed = { of: "hash", inputPerSecond: 1, outputPerSecond: 1 };
    const worker = await addWorker(t, { speeds: [speed] });
    await submitJob(t);
    await fail(t, worker, (await takeOne(t, worker)).attemptId, unfit);
    const tellSpeed = async (told: typeof speed & { setupMs?: number }) =>
      await t.mutation(queue.work.hello, {
        keyHash: worker.keyHash,
        capabilities: { kinds: ["hash"], speeds: [told] },
        startup: false,
      });
    await tellSpeed({ ...speed, setupMs: 5_000 });
    expect((await take(t, worker)).jobs).toEqual([]);
    await tellSpeed({ ...speed, inputPerSecond: 2 });
    expect((await take(t, worker)).jobs).toHaveLength(1);
  });

  it("fail leaves the job to another accepting worker, or to the same one if there is no other", async () => {
    const policy = { backoff: { firstMs: 0, factor: 1, maxMs: 0, jitter: 0 } };
    const worker = await addWorker(t);
    const jobId = await submitJob(t, { policy });
    await fail(t, worker, (await takeOne(t, worker)).attemptId);
    const again = await takeOne(t, worker);
    expect(again).toMatchObject({ jobId, number: 2 });
    const other = await addWorker(t);
    await take(t, other);
    await fail(t, worker, again.attemptId);
    expect((await take(t, worker)).jobs).toEqual([]);
    expect((await takeOne(t, other)).jobId).toBe(jobId);
  });
});

describe("release", () => {
  it("release gives jobs back at once without cost, but not to the same worker for a moment", async () => {
    const worker = await addWorker(t, { concurrency: 2 });
    const jobIds = await submitJobs(t, [{}, {}]);
    const { jobs } = await take(t, worker, { jobs: 2 });
    const attemptIds = jobs.map(({ attemptId }) => attemptId);
    const outcome = await t.mutation(queue.work.release, {
      keyHash: worker.keyHash,
      attemptIds: [...attemptIds, "gone"],
      reason: "the person is back",
      leave: true,
    });
    expect(outcome).toEqual({ fenced: ["gone"] });
    for (const jobId of jobIds) {
      expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
      expect(await t.query(queue.jobs.attempts, { scope: "acme", jobId })).toMatchObject([
        { status: "released", releaseReason: "the person is back" },
      ]);
      expect(await claim(t, worker, jobId)).toEqual({ kind: "taken" });
    }
    expect((await take(t, worker)).jobs).toEqual([]);
    const other = await addWorker(t);
    expect(jobIds).toContain((await takeOne(t, other)).jobId);
    vi.setSystemTime(Date.now() + 500);
    expect(jobIds).toContain((await takeOne(t, worker)).jobId);
  });

  it("release keeps jobs from the same worker for the configured time", async () => {
    await t.mutation(queue.settings.configure, { scope: "acme", values: { releasePauseMs: 5_000 } });
    const worker = await addWorker(t);
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    const given = { attemptIds: [attemptId], reason: "back", leave: false };
    await t.mutation(queue.work.release, { keyHash: worker.keyHash, ...given });
    vi.setSystemTime(Date.now() + 4_999);
    expect((await take(t, worker)).jobs).toEqual([]);
    vi.setSystemTime(Date.now() + 1);
    expect((await take(t, worker)).jobs).toHaveLength(1);
  });
});

describe("theft", () => {
  it("a thief has to start the job, and the victim is fenced and notices", async () => {
    const victim = await addWorker(t, { concurrency: 1, prefetch: 2 });
    await submitJobs(t, [{}, {}, {}]);
    const { jobs } = await take(t, victim, { jobs: 3 });
    const thief = await addWorker(t, { concurrency: 1, prefetch: 4 });
    const stolen = await take(t, thief, { jobs: 5 });
    expect(stolen.jobs).toHaveLength(1);
    expect(stolen.jobs[0]).toMatchObject({ begun: true, number: 2 });
    const theirs = jobs.find(({ jobId }) => jobId === stolen.jobs[0]?.jobId);
    expect(theirs?.begun).toBe(false);
    expect((await heldBy(t, victim)).map(({ attemptId }) => attemptId)).not.toContain(theirs?.attemptId);
    const { keyHash } = victim;
    const attemptId = String(theirs?.attemptId);
    expect(await t.mutation(queue.work.start, { keyHash, attemptIds: [attemptId] })).toEqual({
      fenced: [attemptId],
    });
    expect(await complete(t, victim, attemptId)).toMatchObject({ kind: "fenced" });
    const attempts = await t.query(queue.jobs.attempts, { scope: "acme", jobId: String(theirs?.jobId) });
    expect(attempts).toMatchObject([{ status: "stolen" }, { status: "running" }]);
  });

  it("a prefetched job is offered late to a waiter, which then claims it", async () => {
    await addLane();
    const thief = await addWorker(t);
    const victim = await addWorker(t, { concurrency: 1, prefetch: 1 });
    await take(t, thief);
    await submitJobs(t, [{}, {}]);
    const { jobs } = await take(t, victim, { jobs: 2 });
    const ahead = jobs.find(({ begun }) => !begun);
    const jobId = String(ahead?.jobId);
    expect(await shownTo(t, thief)).toMatchObject([{ jobId, late: true }]);
    expect(await shownTo(t, victim)).toEqual([]);
    expect(await claim(t, thief, jobId)).toEqual({ kind: "taken" });
    expect(await claim(t, victim, jobId, true)).toEqual({ kind: "taken" });
    expect(await claim(t, thief, jobId, true)).toMatchObject({ kind: "claimed", job: { begun: true } });
    expect(await heldBy(t, victim)).toMatchObject([{ begun: true }]);
  });

  it("a worker does not steal its own job, even if it asks again", async () => {
    const worker = await addWorker(t, { concurrency: 2, prefetch: 1 });
    await submitJobs(t, [{}, {}, {}]);
    const { jobs } = await take(t, worker, { jobs: 3 });
    for (const { attemptId, begun } of jobs) if (begun) await complete(t, worker, attemptId);
    // It is returned again, but not assigned again.
    const ahead = jobs.find(({ begun }) => !begun);
    expect((await take(t, worker)).jobs).toEqual([ahead]);
    expect(await heldBy(t, worker)).toMatchObject([{ attemptId: ahead?.attemptId, begun: false }]);
  });

  it("a thief takes neither started jobs nor its own", async () => {
    const victim = await addWorker(t, { concurrency: 1, prefetch: 1 });
    await submitJobs(t, [{}, {}]);
    const { jobs } = await take(t, victim, { jobs: 2 });
    const { keyHash } = victim;
    const done = await complete(t, victim, String(jobs[0]?.attemptId), { jobs: 1 });
    expect(done.jobs).toEqual([]);
    expect(await heldBy(t, victim)).toMatchObject([{ begun: false }]);
    const attemptIds = [String(jobs[1]?.attemptId)];
    expect(await t.mutation(queue.work.start, { keyHash, attemptIds })).toEqual({ fenced: [] });
    expect(await t.mutation(queue.work.start, { keyHash, attemptIds })).toEqual({ fenced: [] });
    const thief = await addWorker(t);
    expect((await take(t, thief)).jobs).toEqual([]);
  });
});

describe("append", () => {
  it("append keeps text while somebody reads along, and is fenced after the end", async () => {
    const worker = await addWorker(t);
    const jobId = await submitJob(t, { watched: true });
    const { attemptId } = await takeOne(t, worker);
    const { keyHash } = worker;
    const chunk = { keyHash, attemptId, seq: 0, text: "Hello" };
    expect(await t.mutation(queue.work.append, chunk)).toEqual({ kind: "ok" });
    const view = await t.query(queue.jobs.watch, { scope: "acme", jobId });
    expect(view).toMatchObject({ attempt: 1, chunks: [{ seq: 0, text: "Hello" }] });
    await complete(t, worker, attemptId);
    expect(await t.mutation(queue.work.append, { ...chunk, seq: 1 })).toEqual({ kind: "fenced" });
  });
});

/** Creates a lane and removes its job. */
async function addLane(): Promise<void> {
  const jobId = await submitJob(t);
  await t.mutation(queue.jobs.cancel, { scope: "acme", jobId });
  await passTime(t, 0);
}

async function placeAt(jobId: string, point: number): Promise<void> {
  const { _id } = await jobRow(t, jobId);
  await t.run(async (ctx) => {
    await ctx.db.patch("jobs", _id, { place: point * 65_536 });
  });
}
