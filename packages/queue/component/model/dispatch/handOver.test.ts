import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobSpec } from "../../../shared/validators.ts";
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
  shownTo,
  take,
  type TestWorker,
} from "../../testing/workers.fixture.ts";
import { present } from "../refuse.ts";
import { reclaimUnstarted } from "./reclaim.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Submits a job that may be handed over. */
async function submit(t: Backend, job: Partial<JobSpec> = {}): Promise<string> {
  const [jobId] = await submitJobs(t, [job], { handOver: true });
  return jobId!;
}

/** Adds waiting workers at these positions. */
async function waiting(t: Backend, ...positions: readonly number[]): Promise<readonly TestWorker[]> {
  const workers = [];
  // Creates a lane, so that there is a ring to wait in.
  const first = await submit(t);
  await t.mutation(queue.jobs.cancel, { scope, jobId: first });
  for (const position of positions) {
    const worker = await addWorker(t, {}, { position });
    await take(t, worker);
    workers.push(worker);
  }
  return workers;
}

const see = async (t: Backend, { keyHash }: TestWorker) => ({
  ...(await t.query(queue.work.candidates, { keyHash, subscriptions: [] })),
  handed: await t.query(queue.work.handed, { keyHash }),
});

describe("handOver", () => {
  it("a submitted job is handed to a waiting worker, which stays a waiter and sees the payload", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const jobId = await submit(t, { payload: { file: "a" } });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "prefetched", attempts: 1 });
    const { subscriptions, jobs, handed } = await see(t, worker!);
    expect({ subscriptions, jobs }).toEqual({
      subscriptions: [{ laneId: expect.any(String), position: 100 }],
      jobs: [],
    });
    expect(handed).toMatchObject([{ jobId, payload: { file: "a" }, begun: false, number: 1 }]);
  });

  it.each([
    ["small", { file: "a" }, true],
    ["large", { file: "a".repeat(5_000) }, false],
  ])(
    "a handed job ends its worker's wait when that reports the start: %s payload",
    async (_, payload, isShown) => {
      const t = startQueue();
      const [worker] = await waiting(t, 100);
      const { keyHash } = worker!;
      const jobId = await submit(t, { payload });
      const [handed] = (await see(t, worker!)).handed;
      expect(handed).toMatchObject({ jobId, payload, requirements: {}, watched: false, remainingMs: null });
      await t.mutation(queue.work.start, { keyHash, attemptIds: [handed!.attemptId] });
      expect(await jobRow(t, jobId)).toMatchObject({ status: "running" });
      const after = await see(t, worker!);
      expect(after).toMatchObject({ subscriptions: [], jobs: [] });
      // A small payload may still be shown: the worker knows that it has begun this attempt.
      expect(after.handed).toEqual(isShown ? [handed] : []);
    },
  );

  it("a worker with free capacity keeps its place in the ring when it is handed a job", async () => {
    const t = startQueue();
    await t.mutation(queue.jobs.cancel, { scope, jobId: await submit(t) });
    const worker = await addWorker(t, { concurrency: 2 }, { position: 100 });
    await take(t, worker);
    await submit(t);
    const [handed] = (await see(t, worker)).handed;
    await t.mutation(queue.work.start, { keyHash: worker.keyHash, attemptIds: [handed!.attemptId] });
    const claimable = await submit(t);
    expect(await see(t, worker)).toMatchObject({
      subscriptions: [{ position: 100 }],
      jobs: [{ jobId: claimable, late: false }],
    });
  });

  it("the view of handed jobs changes neither at a start nor at an end, so its query does not run again", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    await submit(t, { payload: "first" });
    const before = await see(t, worker!);
    await complete(t, worker!, before.handed[0]!.attemptId, { jobs: 1 });
    expect((await see(t, worker!)).handed).toEqual(before.handed);
    vi.setSystemTime(Date.now() + 1);
    await submit(t, { payload: "second" });
    expect((await see(t, worker!)).handed).toMatchObject([{ payload: "second" }]);
  });

  it("a worker whose program restarts sees no job that was handed to the earlier one", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    await submit(t);
    const [handed] = (await see(t, worker!)).handed;
    await complete(t, worker!, handed!.attemptId, { jobs: 1 });
    vi.setSystemTime(Date.now() + 1);
    const { keyHash } = worker!;
    const capabilities = { kinds: ["k"], concurrency: 1 };
    await t.mutation(queue.work.hello, { keyHash, startup: true, capabilities });
    expect((await see(t, worker!)).handed).toEqual([]);
  });

  it("a handed job may end without a reported start, for a cost of two calls", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const { keyHash } = worker!;
    const jobId = await submit(t);
    const claimedAt = Date.now();
    const { handed } = await see(t, worker!);
    vi.setSystemTime(claimedAt + 200);
    const outcome = await t.mutation(queue.work.complete, {
      keyHash,
      attemptId: handed[0]!.attemptId,
      result: 1,
      demand: { jobs: 1 },
    });
    expect(outcome).toMatchObject({ kind: "completed", jobs: [], subscriptions: [{ position: 100 }] });
    // A worker that was woken for a job begins it at once.
    const times = { startedAt: claimedAt, finishedAt: claimedAt + 200 };
    expect(await jobRow(t, jobId)).toMatchObject({ status: "succeeded", ...times });
  });

  it("a handed job that fails before its start was reported has been started in time", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const now = Date.now();
    const jobId = await submit(t, { expiresAt: now + 5_000 });
    const { handed } = await see(t, worker!);
    await fail(t, worker!, handed[0]!.attemptId);
    await passTime(t, 20_000);
    expect((await jobRow(t, jobId)).startedAt).toBe(now);
    expect((await jobRow(t, jobId)).status).not.toBe("expired");
  });

  it("each submitted job goes to another worker, and stays in its lane when all are busy", async () => {
    // No worker is close before this point, so the whole ring is searched.
    vi.spyOn(Math, "random").mockReturnValue(0.9);
    const t = startQueue();
    const workers = await waiting(t, 10_000, 30_000, 50_000);
    const jobIds = await submitJobs(t, [{}, {}, {}, {}], { handOver: true });
    const handed = await Promise.all(workers.map(async (worker) => (await see(t, worker)).handed.length));
    expect(handed).toEqual([1, 1, 1]);
    const statuses = await Promise.all(jobIds.map(async (jobId) => (await jobRow(t, jobId)).status));
    expect(statuses.sort()).toEqual(["prefetched", "prefetched", "prefetched", "ready"]);
  });

  it("a handed job is taken back from a dead worker, and waits for another", async () => {
    const t = startQueue();
    const [one, other] = await waiting(t, 10_000, 40_000);
    const jobId = await submit(t);
    const [dead, alive] = (await see(t, one!)).handed.length === 1 ? [one!, other!] : [other!, one!];
    expect(await shownTo(t, alive)).toEqual([]);
    await passTime(t, 5_500);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", attempts: 1, failures: 0 });
    // The worker does not listen, so the next job is not handed to it.
    expect(await see(t, dead)).toMatchObject({ subscriptions: [], handed: [] });
    expect(await shownTo(t, alive)).toMatchObject([{ jobId, late: false }]);
    const claim = { keyHash: alive.keyHash, jobId, late: false, demand: { jobs: 0 } };
    const outcome = await t.mutation(queue.work.claim, claim);
    expect(outcome).toMatchObject({ kind: "claimed", job: { jobId, begun: true, number: 2 } });
  });

  it("a handed job is taken back within seconds, whenever it was handed over", async () => {
    const t = startQueue();
    await waiting(t, 10_000, 20_000, 30_000, 40_000);
    const jobIds = [];
    for (let n = 0; n < 4; n += 1) {
      jobIds.push(await submit(t));
      await passTime(t, 1_700);
    }
    await passTime(t, 4_000);
    const statuses = await Promise.all(jobIds.map(async (jobId) => (await jobRow(t, jobId)).status));
    expect(statuses).toEqual(["ready", "ready", "ready", "ready"]);
  });

  it("submissions that follow each other rarely write the row that all of them read, and their jobs are taken back in time", async () => {
    const t = startQueue();
    await waiting(t, ...Array.from({ length: 40 }, (_, n) => 1_600 * n));
    const jobIds = [];
    const dues = new Set<number | undefined>();
    for (let n = 0; n < 40; n += 1) {
      jobIds.push(await submit(t));
      dues.add(await t.run(async (ctx) => (await ctx.db.query("recalls").first())?.due));
      await passTime(t, 1_000);
      const handedBefore = jobIds.slice(0, Math.max(0, n - 4));
      for (const jobId of handedBefore) expect((await jobRow(t, jobId)).status).not.toBe("prefetched");
    }
    // One check at first, and then all those of half a minute.
    expect(dues.size).toBeLessThanOrEqual(3);
  });

  it("a handed job is taken back by a backend that is always late, at the second check", async () => {
    const t = startQueue();
    await waiting(t, 100);
    const jobId = await submit(t);
    // The backend was away, and is away again at the next check.
    for (const status of ["prefetched", "ready"]) {
      await t.run(async (ctx) => {
        const { scope: of, due } = present(await ctx.db.query("recalls").first(), "scheduled reclaim");
        await reclaimUnstarted(ctx, { scope: of, due, graced: status === "ready" }, due + 20_000);
      });
      expect(await jobRow(t, jobId)).toMatchObject({ status });
    }
  });

  it("a handed job stays with a worker that has reported its start", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const jobId = await submit(t);
    const [handed] = (await see(t, worker!)).handed;
    await t.mutation(queue.work.start, { keyHash: worker!.keyHash, attemptIds: [handed!.attemptId] });
    await passTime(t, 20_000);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "running", attempts: 1 });
  });

  it("a handed job cannot be taken by other workers before it is taken back, because it may have started", async () => {
    const t = startQueue();
    await waiting(t, 100);
    const jobId = await submit(t);
    const thief = await addWorker(t);
    expect((await take(t, thief)).jobs).toEqual([]);
    await passTime(t, 5_500);
    expect((await take(t, thief)).jobs).toMatchObject([{ jobId, number: 2 }]);
  });

  it("a handed job is ready at once if its worker leaves without seeing it", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const jobId = await submit(t);
    await t.mutation(queue.work.leave, { keyHash: worker!.keyHash });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
    const again = await submit(t);
    expect(await jobRow(t, again)).toMatchObject({ status: "ready" });
  });

  it("a handed job is returned by a call for work", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const jobId = await submit(t);
    expect((await take(t, worker!)).jobs).toMatchObject([{ jobId, begun: false }]);
  });

  it("a handed job that its worker cannot run is visible to workers that wait later", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const busy = await addWorker(t, {}, { position: 30_000 });
    const [other] = await submitJobs(t, [{}]);
    const claimed = await claim(t, busy, other!);
    const jobId = await submit(t);
    const [handed] = (await see(t, worker!)).handed;
    await fail(t, worker!, handed!.attemptId, { ...crash, unfit: true });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready" });
    const attemptId = claimed.kind === "claimed" ? claimed.job.attemptId : "";
    expect(await complete(t, busy, attemptId, { jobs: 1 })).toMatchObject({
      subscriptions: [{ position: 30_000 }],
    });
    expect(await shownTo(t, busy)).toMatchObject([{ jobId, late: false }]);
  });

  it("a handed job prevents its worker from claiming another job that it could only prefetch", async () => {
    const t = startQueue();
    await t.mutation(queue.jobs.cancel, { scope, jobId: await submit(t) });
    const worker = await addWorker(t, { prefetch: 1 }, { position: 100 });
    await take(t, worker);
    const handed = await submit(t);
    const [jobId] = await submitJobs(t, [{}]);
    expect(await claim(t, worker, jobId!)).toEqual({ kind: "taken" });
    expect((await see(t, worker)).handed).toMatchObject([{ jobId: handed }]);
  });

  it("a job is not handed over in a paused lane, or unless its submission asks for it", async () => {
    const t = startQueue();
    await waiting(t, 100);
    const [lane] = await t.query(queue.lanes.list, { scope });
    await t.mutation(queue.lanes.setState, { scope, laneId: lane!.laneId, state: "paused" });
    expect(await jobRow(t, await submit(t))).toMatchObject({ status: "ready" });
    await t.mutation(queue.lanes.setState, { scope, laneId: lane!.laneId, state: "open" });
    const [claimed] = await submitJobs(t, [{}]);
    expect(await jobRow(t, claimed!)).toMatchObject({ status: "ready" });
  });
});

describe("jobs that are kept from workers", () => {
  it("are neither handed to them, nor shown to them, nor claimed by them", async () => {
    const t = startQueue();
    const [barred] = await waiting(t, 100);
    const jobId = await submit(t, { exceptWorkers: [barred!.workerId] });
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready" });
    expect(await shownTo(t, barred!)).toEqual([]);
    expect(await claim(t, barred!, jobId)).toEqual({ kind: "unable" });
    expect((await take(t, barred!)).jobs).toEqual([]);
    const other = await addWorker(t);
    expect((await take(t, other)).jobs).toMatchObject([{ jobId }]);
  });

  it("wake the one worker that may have them, however many others wait", async () => {
    const t = startQueue();
    const [free, ...barred] = await waiting(t, 100, 5_000, 15_000, 25_000, 35_000, 45_000, 55_000);
    const exceptWorkers = barred.map(({ workerId }) => workerId);
    for (let each = 0; each < 6; each++) {
      const jobId = await submitJob(t, { exceptWorkers });
      expect(await shownTo(t, free!)).toMatchObject([{ jobId }]);
      const claimed = await claim(t, free!, jobId);
      if (claimed.kind !== "claimed") throw new Error(claimed.kind);
      await complete(t, free!, claimed.job.attemptId);
      await take(t, free!);
    }
  });

  it("come from the app with the ids of at most 200 workers", async () => {
    const t = startQueue();
    const { workerId } = await addWorker(t);
    const most = Array.from({ length: 200 }, () => workerId);
    await submitJob(t, { exceptWorkers: most });
    await expectRefusal(submitJob(t, { exceptWorkers: [...most, workerId] }), "invalid");
  });
});

describe("jobs that are kept apart", () => {
  const apart = "three opinions";

  it("are handed to one waiting worker each, and the last one to nobody", async () => {
    const t = startQueue();
    const workers = await waiting(t, 100, 30_000);
    const jobIds = [];
    for (let each = 0; each < 3; each++) jobIds.push(await submit(t, { apart }));
    const rows = await Promise.all(jobIds.map((jobId) => jobRow(t, jobId)));
    expect(rows.map(({ status }) => status)).toEqual(["prefetched", "prefetched", "ready"]);
    const handed = await Promise.all(workers.map(async (worker) => (await see(t, worker)).handed));
    expect(handed.map((jobs) => jobs.length)).toEqual([1, 1]);
  });

  it("are neither handed to a worker that has done another one, nor shown to it, nor claimed by it", async () => {
    const t = startQueue();
    const [worker] = await waiting(t, 100);
    const first = await submit(t, { apart });
    const [handed] = (await see(t, worker!)).handed;
    await complete(t, worker!, handed!.attemptId);
    await take(t, worker!);
    const second = await submit(t, { apart });
    expect(await jobRow(t, first)).toMatchObject({ status: "succeeded" });
    expect(await jobRow(t, second)).toMatchObject({ status: "ready" });
    expect(await shownTo(t, worker!)).toEqual([]);
    expect(await claim(t, worker!, second)).toEqual({ kind: "unable" });
    expect((await take(t, worker!)).jobs).toEqual([]);
    const other = await addWorker(t);
    expect((await take(t, other)).jobs).toMatchObject([{ jobId: second }]);
  });

  it("are kept apart from the job whose id they name, also after its end", async () => {
    const t = startQueue();
    const worker = await addWorker(t);
    const first = await submitJob(t);
    const [taken] = (await take(t, worker)).jobs;
    await complete(t, worker, taken!.attemptId);
    const second = await submitJob(t, { apart: first });
    expect((await take(t, worker)).jobs).toEqual([]);
    expect(await claim(t, worker, second)).toEqual({ kind: "unable" });
    const other = await addWorker(t);
    expect((await take(t, other)).jobs).toMatchObject([{ jobId: second }]);
  });

  it("are not kept apart from jobs of another kind with the same text", async () => {
    const t = startQueue();
    const worker = await addWorker(t, { kinds: ["hash", "check"] });
    await submitJob(t, { apart, kind: "check" });
    const [check] = (await take(t, worker)).jobs;
    expect(check).toMatchObject({ kind: "check" });
    await complete(t, worker, check!.attemptId);
    const second = await submitJob(t, { apart });
    expect(await claim(t, worker, second)).toMatchObject({ kind: "claimed" });
  });

  it("come back to the worker that failed one, and end with its verdict, if all others have another one", async () => {
    const t = startQueue();
    const policy = { agreement: 2, backoff: { firstMs: 0, factor: 1, maxMs: 0, jitter: 0 } };
    const first = await submitJob(t, { apart, policy });
    const worker = await addWorker(t);
    const { jobs } = await take(t, worker);
    const second = await submitJob(t, { apart });
    const other = await addWorker(t);
    expect((await take(t, other)).jobs).toMatchObject([{ jobId: second }]);
    await fail(t, worker, jobs[0]!.attemptId);
    await passTime(t, 10);
    const [again] = (await take(t, worker)).jobs;
    expect(again).toMatchObject({ jobId: first });
    await fail(t, worker, again!.attemptId, {
      code: "impossible",
      message: "It cannot be.",
      retryable: false,
    });
    expect(await jobRow(t, first)).toMatchObject({ status: "failed" });
  });
});
