import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  refused,
  scope,
  startQueue,
  submitJob,
} from "../../testing/queue.fixture.ts";
import {
  addWorker,
  claim,
  complete,
  fail,
  heldBy,
  take,
  takeOne,
  type TestWorker,
} from "../../testing/workers.fixture.ts";

let t: Backend;
let workers: readonly [TestWorker, TestWorker, TestWorker];

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
  workers = [await addWorker(t), await addWorker(t), await addWorker(t)];
  // The lane exists, and all three take its jobs.
  await complete(t, workers[0], (await takeFirst(workers[0], await submitJob(t))).attemptId);
  for (const worker of workers) await take(t, worker);
});

afterEach(() => {
  vi.useRealTimers();
});

async function takeFirst(worker: TestWorker, jobId: string) {
  const outcome = await claim(t, worker, jobId);
  if (outcome.kind !== "claimed") throw new Error(outcome.kind);
  return outcome.job;
}

const hopeless = { code: "unreadable", message: "Nobody can read it.", retryable: false };
const status = async (jobId: string) => (await jobRow(t, jobId)).status;

/** Claims the job and fails it with the verdict. */
async function judge(worker: TestWorker, jobId: string, error = hopeless): Promise<void> {
  const { attemptId } = await takeFirst(worker, jobId);
  await fail(t, worker, attemptId, error);
}

describe("an error that is not retryable", () => {
  it("a verdict of one worker is final unless the policy asks for agreement", async () => {
    const jobId = await submitJob(t);
    await judge(workers[0], jobId);
    expect(await status(jobId)).toBe("failed");
  });

  it("a verdict is final once as many workers agree as the policy asks for, without a back-off", async () => {
    const jobId = await submitJob(t, { policy: { agreement: 2 } });
    await judge(workers[0], jobId);
    expect(await status(jobId)).toBe("ready");
    expect(await claim(t, workers[0], jobId)).toEqual({ kind: "unable" });
    await judge(workers[1], jobId, { ...hopeless, code: "something else" });
    expect(await status(jobId)).toBe("ready");
    await judge(workers[2], jobId);
    expect(await jobRow(t, jobId)).toMatchObject({
      status: "failed",
      failures: 3,
      error: { code: "unreadable" },
    });
  });

  it("a verdict is final if no other worker takes such jobs", async () => {
    const jobId = await submitJob(t, { policy: { agreement: 2 } });
    for (const { keyHash } of workers.slice(1)) await t.mutation(queue.work.leave, { keyHash });
    await judge(workers[0], jobId);
    expect(await status(jobId)).toBe("failed");
  });

  it("a verdict that the app knows to be false is a failure like any other, and a true one is final", async () => {
    const [{ keyHash }] = workers;
    const call = { keyHash, error: hopeless, demand: { jobs: 0 } };
    const policy = { agreement: 2, backoff: { firstMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 } };
    const wrong = await submitJob(t, { policy });
    const { attemptId } = await takeFirst(workers[0], wrong);
    await t.mutation(queue.work.fail, { ...call, attemptId, judged: "false" });
    expect(await jobRow(t, wrong)).toMatchObject({ status: "waiting", failures: 1 });
    const right = await submitJob(t, { policy });
    const other = await takeFirst(workers[0], right);
    await t.mutation(queue.work.fail, { ...call, attemptId: other.attemptId, judged: "true" });
    expect(await status(right)).toBe("failed");
  });

  it("a retried dead letter starts without the old verdicts", async () => {
    const jobId = await submitJob(t, { policy: { agreement: 2 } });
    await judge(workers[0], jobId);
    await judge(workers[1], jobId);
    await t.mutation(queue.deadLetters.retry, { scope, jobId, actor: "eve" });
    await judge(workers[0], jobId);
    expect(await status(jobId)).toBe("ready");
  });
});

describe("a worker that failed a job", () => {
  it("a worker cannot claim a job that it failed while others have not tried it", async () => {
    const policy = { backoff: { firstMs: 0, factor: 1, maxMs: 0, jitter: 0 } };
    const crash = { code: "crashed", message: "It crashed.", retryable: true };
    const jobId = await submitJob(t, { policy });
    await judge(workers[0], jobId, crash);
    await judge(workers[1], jobId, crash);
    for (const worker of workers.slice(0, 2))
      expect(await claim(t, worker, jobId)).toEqual({ kind: "unable" });
    await judge(workers[2], jobId, crash);
    // All have failed it: all but the last one may try again.
    expect(await claim(t, workers[2], jobId)).toEqual({ kind: "unable" });
    await judge(workers[0], jobId, crash);
    expect(await status(jobId)).toBe("failed");
  });
});

describe("an attempt with a time limit", () => {
  const stayAlive = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      await passTime(t, 10_000);
      for (const { keyHash } of workers) await t.mutation(queue.work.heartbeat, { keyHash });
    }
  };

  it("an attempt that takes too long fails, although its worker renews the lease", async () => {
    const [worker] = workers;
    const jobId = await submitJob(t, { attemptMs: 120_000 });
    const { attemptId } = await takeFirst(worker, jobId);
    await stayAlive(110_000);
    expect(await status(jobId)).toBe("running");
    await stayAlive(60_000);
    expect(await heldBy(t, worker)).toEqual([]);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 1 });
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "fenced" });
    const { page } = await t.query(queue.workers.history, {
      scope,
      workerId: worker.workerId,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(page).toMatchObject([{ status: "failed", error: { code: "worker_timeout" } }]);
  });

  it("a worker whose attempt is overdue also loses the jobs that it has not started", async () => {
    const slow = await addWorker(t, { prefetch: 1 });
    await takeFirst(slow, await submitJob(t, { attemptMs: 60_000 }));
    const jobId = await submitJob(t);
    expect(await takeFirst(slow, jobId)).toMatchObject({ begun: false });
    expect(await heldBy(t, slow)).toHaveLength(2);
    for (let passed = 0; passed < 70_000; passed += 10_000) {
      await t.mutation(queue.work.heartbeat, { keyHash: slow.keyHash });
      await stayAlive(10_000);
    }
    expect(await heldBy(t, slow)).toEqual([]);
    expect(await t.query(queue.jobs.attempts, { scope, jobId })).toMatchObject([
      { workerId: slow.workerId, status: "released" },
    ]);
  });

  it("an attempt's time counts from its start, not from the prefetch", async () => {
    const [, second] = workers;
    const slow = await addWorker(t, { prefetch: 1 });
    const running = await submitJob(t);
    await takeFirst(slow, running);
    const jobId = await submitJob(t, { attemptMs: 120_000 });
    const { attemptId, begun } = await takeFirst(slow, jobId);
    expect(begun).toBe(false);
    await stayAlive(10_000);
    await t.mutation(queue.work.start, { keyHash: slow.keyHash, attemptIds: [attemptId] });
    const rows = await t.run(async (ctx) => await ctx.db.query("attempts").collect());
    expect(rows.find(({ _id }) => _id === attemptId)).toMatchObject({ overdueAt: Date.now() + 120_000 });
    expect(await take(t, second)).toMatchObject({ jobs: [] });
  });

  it.each([
    // 20 s expected, 30 s until the suspicion, four times that.
    ["four times what a fast worker is given before it is suspected", { outputPerSecond: 10 }, {}, 120_000],
    [
      "more for a worker that runs several jobs at once",
      { outputPerSecond: 10 },
      { concurrency: 2 },
      240_000,
    ],
    ["the job's own limit, for a slow worker", { outputPerSecond: 1 }, {}, 300_000],
    ["at least a minute", { outputPerSecond: 1_000 }, {}, 60_000],
    ["the job's own limit, for a worker without a speed", null, {}, 300_000],
  ])("an attempt's longest time is %s", async (_, speed, more, longestMs) => {
    const speeds = speed === null ? [] : [{ of: "hash", inputPerSecond: 1, ...speed }];
    const worker = await addWorker(t, { speeds, ...more });
    const jobId = await submitJob(t, { attemptMs: 300_000, size: { input: 0, output: 200 } });
    await takeFirst(worker, jobId);
    const rows = await t.run(async (ctx) => await ctx.db.query("attempts").collect());
    expect(rows.find((row) => row.jobId === jobId)?.overdueAt).toBe(Date.now() + longestMs);
  });

  it("an attempt without a limit, and one that ended, are never overdue", async () => {
    const [worker] = workers;
    const jobId = await submitJob(t, { attemptMs: 60_000 });
    await complete(t, worker, (await takeFirst(worker, jobId)).attemptId);
    await submitJob(t);
    await takeOne(t, worker);
    await stayAlive(300_000);
    const rows = await t.run(async (ctx) => await ctx.db.query("attempts").collect());
    expect(rows.filter(({ overdueAt }) => overdueAt !== undefined)).toEqual([]);
    expect(await heldBy(t, worker)).toHaveLength(1);
  });

  it.each([59_999, Number.NaN, Infinity])("a limit of %d ms is refused", async (attemptMs) => {
    expect(await refused(submitJob(t, { attemptMs }))).toBe("invalid");
  });
});

describe("workers.attempt", () => {
  it("workers.attempt shows an app the payload of a held attempt, and whether a text goes on from the stream", async () => {
    const [worker, other] = workers;
    const jobId = await submitJob(t, { watched: true, payload: { file: "b" } });
    const { attemptId } = await takeFirst(worker, jobId);
    const ask = async (text?: string, { keyHash } = worker) =>
      await t.query(queue.workers.attempt, { keyHash, attemptId, ...(text === undefined ? {} : { text }) });
    expect(await ask()).toEqual({
      jobId,
      kind: "hash",
      payload: { file: "b" },
      claimedAt: Date.now(),
      continues: true,
    });
    const append = async (seq: number, text: string) =>
      await t.mutation(queue.work.append, { keyHash: worker.keyHash, attemptId, seq, text });
    await append(0, "one, ");
    await append(1, "two");
    expect(await ask("one, two, three")).toMatchObject({ continues: true });
    expect(await ask("one, 2, three")).toMatchObject({ continues: false });
    expect(await ask("one")).toMatchObject({ continues: false });
    expect(await ask("one, two", other)).toBeNull();
    await complete(t, worker, attemptId);
    expect(await ask("one, two")).toBeNull();
  });
});
