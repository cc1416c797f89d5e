import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ClaimedJob, Cursor, NextWork } from "../../../shared/validators.ts";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, claim, complete, shownTo, take, type TestWorker } from "../../testing/workers.fixture.ts";

let t: Backend;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The jobs that a worker runs one after the other, at most `most`. */
async function* workThrough(worker: TestWorker, most: number) {
  let next = await take(t, worker);
  for (let done = 0; done < most; done += 1) {
    const [job] = next.jobs;
    if (job === undefined) return;
    yield await jobRow(t, job.jobId);
    next = await complete(t, worker, job.attemptId, { jobs: 1, cursor: next.cursor });
  }
}

async function doneBy(worker: TestWorker, most: number) {
  const done = [];
  for await (const job of workThrough(worker, most)) done.push(job);
  return done;
}

/** Submits equal jobs, as many in a call as allowed. */
async function submitAlike(count: number, job: Parameters<typeof submitJob>[1]): Promise<void> {
  const perCall = 500;
  for (let submitted = 0; submitted < count; submitted += perCall) {
    await submitJobs(
      t,
      Array.from({ length: Math.min(perCall, count - submitted) }, () => ({ ...job })),
    );
  }
}

/** Fits the lane's slots to its accepting workers. */
async function fitSlots(workers: readonly TestWorker[]): Promise<void> {
  const jobId = await submitJob(t);
  for (const worker of workers) await take(t, worker, { jobs: 0 });
  await t.mutation(queue.jobs.cancel, { scope: "acme", jobId });
  for (const worker of workers) await take(t, worker);
  await passTime(t, 0);
}

describe("requesters", () => {
  it.each([
    [1, 60],
    [2, 60],
    [5, 60],
    [5, 10_000],
  ])(
    "with %i workers a second requester's first job waits for at most one job of each, if the first requester has %i",
    async (fleet, jobs) => {
      const workers: TestWorker[] = [];
      for (let i = 0; i < fleet; i += 1) workers.push(await addWorker(t));
      await fitSlots(workers);
      await submitAlike(jobs, { requester: "many" });
      // All workers run the first requester's jobs when the second's job arrives.
      const held = new Map<TestWorker, { attemptId: string; cursor: Cursor }>();
      for (const worker of workers) {
        const { jobs, cursor } = await take(t, worker);
        held.set(worker, { attemptId: String(jobs[0]?.attemptId), cursor });
      }
      const jobId = await submitJob(t, { requester: "few" });
      const started: string[] = [];
      for (const [worker, { attemptId, cursor }] of held) {
        const { jobs } = await complete(t, worker, attemptId, { jobs: 1, cursor });
        started.push(String(jobs[0]?.jobId));
      }
      // Each worker has ended one job, and one of them has the second requester's job.
      expect(started).toContain(jobId);
    },
  );

  it("a second requester's first job waits only for prefetched jobs if each worker runs two at once", async () => {
    const abilities = { concurrency: 2, prefetch: 1 };
    const workers = [await addWorker(t, abilities), await addWorker(t, abilities)];
    await fitSlots(workers);
    await submitAlike(60, { requester: "many" });
    const held = new Map<TestWorker, NextWork>();
    for (const worker of workers) held.set(worker, await take(t, worker, { jobs: 3 }));
    const jobId = await submitJob(t, { requester: "few" });
    const brought: ClaimedJob[] = [];
    for (const [{ keyHash }, { jobs, cursor }] of held) {
      expect(jobs.map(({ begun }) => begun)).toEqual([true, true, false]);
      const [first = "", , ahead = ""] = jobs.map(({ attemptId }) => attemptId);
      const ended = { keyHash, attemptId: first, result: "done", starts: [ahead] };
      const next = await t.mutation(queue.work.complete, { ...ended, demand: { jobs: 1, cursor } });
      brought.push(...next.jobs);
    }
    // One of the workers has prefetched it, and starts it after its running jobs.
    expect(brought.find((job) => job.jobId === jobId)).toMatchObject({ begun: false });
  });

  it("requesters take turns by their weights", async () => {
    const [worker] = [await addWorker(t)];
    await fitSlots([worker]);
    await t.mutation(queue.limits.set, { scope: "acme", of: "requester", name: "heavy", weight: 3 });
    const jobs = Array.from({ length: 100 }, (_, i) => ({ requester: i % 2 === 0 ? "heavy" : "light" }));
    await submitJobs(t, jobs);
    const done = await doneBy(worker, 40);
    const light = done.filter(({ requester }) => requester === "light").length;
    expect(light).toBeGreaterThanOrEqual(9);
    expect(light).toBeLessThanOrEqual(11);
  });

  it("jobs of one requester run in the order of submission", async () => {
    const worker = await addWorker(t);
    await fitSlots([worker]);
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      vi.setSystemTime(Date.now() + 1);
      ids.push(await submitJob(t, { requester: "one" }));
    }
    expect((await doneBy(worker, 6)).map(({ _id }) => _id)).toEqual(ids);
  });
});

describe("priorities", () => {
  it("a high priority comes first, and the others get a sixteenth each", async () => {
    const worker = await addWorker(t);
    await submitJobs(
      t,
      (["high", "normal", "low"] as const).flatMap((priority) =>
        Array.from({ length: 40 }, () => ({ priority })),
      ),
    );
    const done = (await doneBy(worker, 32)).map(({ level }) => level);
    expect(done.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect([0, 1, 2].map((level) => done.filter((of) => of === level).length)).toEqual([28, 2, 2]);
  });

  it("lower priorities continue if there are no high ones", async () => {
    const worker = await addWorker(t);
    const low = await submitJob(t, { priority: "low" });
    const normal = await submitJob(t);
    expect((await doneBy(worker, 3)).map(({ _id }) => _id)).toEqual([normal, low]);
  });
});

describe("lanes", () => {
  it("a worker keeps its loaded model, except in one turn of eight", async () => {
    const worker = await addWorker(t, { models: ["a", "b"] });
    const of = (model: string) => Array.from({ length: 30 }, () => ({ requirements: { model } }));
    await submitJobs(t, [...of("a"), ...of("b")]);
    const models = (await doneBy(worker, 24)).map(({ requirements }) => requirements?.model);
    const changes = models.filter((model, i) => i > 0 && model !== models[i - 1]).length;
    expect(new Set(models).size).toBe(2);
    expect(changes).toBeLessThanOrEqual(4);
  });
});

describe.each([1, 5])("lanes, with %i workers", (fleet) => {
  const ofModel = (model: string) => ({ requirements: { model } });

  /** All workers run one requester's jobs in one lane. Then another job arrives in a new lane. */
  async function turnsUntilBegun(job: Parameters<typeof submitJob>[1], queued = 40 * fleet): Promise<number> {
    const workers: TestWorker[] = [];
    for (let i = 0; i < fleet; i += 1) workers.push(await addWorker(t, { models: ["a", "b"] }));
    await submitAlike(queued, { ...ofModel("a"), requester: "many" });
    const held = new Map<TestWorker, { attemptId: string; cursor: Cursor }>();
    for (const worker of workers) {
      const { jobs, cursor } = await take(t, worker);
      held.set(worker, { attemptId: String(jobs[0]?.attemptId), cursor });
    }
    await passTime(t, 0);
    const jobId = await submitJob(t, { ...ofModel("b"), ...job });
    await passTime(t, 0);
    for (let turns = 1; turns <= 20; turns += 1) {
      for (const [worker, { attemptId, cursor }] of held) {
        const next = await complete(t, worker, attemptId, { jobs: 1, cursor });
        if (next.jobs[0]?.jobId === jobId) return turns;
        held.set(worker, { attemptId: String(next.jobs[0]?.attemptId), cursor: next.cursor });
      }
    }
    throw new Error("never begun");
  }

  it("a requester's first job waits for at most one job of another on each worker", async () => {
    expect(await turnsUntilBegun({ requester: "few" })).toBe(1);
  });

  it("a requester's first job waits no longer if another has 10,000 jobs queued", async () => {
    expect(await turnsUntilBegun({ requester: "few" }, 10_000)).toBe(1);
  });

  it("a high priority comes first for any requester", async () => {
    expect(await turnsUntilBegun({ requester: "many", priority: "high" })).toBe(1);
  });
});

describe("theft", () => {
  it("theft reaches every job on the ring, from workers without a slot of their own", async () => {
    const workers = [];
    for (let i = 0; i < 3; i += 1) workers.push(await addWorker(t));
    await fitSlots(workers);
    const ids = await submitJobs(
      t,
      Array.from({ length: 20 }, () => ({})),
    );
    const [first, second, third] = workers;
    if (first === undefined || second === undefined || third === undefined) throw new Error("no workers");
    // The other workers each run a job of their own home.
    const done: (string | undefined)[] = [];
    for (const worker of [first, second]) done.push((await take(t, worker)).jobs[0]?.jobId);
    for (;;) {
      done.push(...(await doneBy(third, 30)).map(({ _id }) => _id));
      const [shown] = await shownTo(t, third);
      if (shown === undefined) break;
      const claimed = await claim(t, third, shown.jobId);
      if (claimed.kind !== "claimed") throw new Error(claimed.kind);
      await complete(t, third, claimed.job.attemptId, { jobs: 1 });
      done.push(shown.jobId);
    }
    expect(done).toHaveLength(ids.length);
    expect(new Set(done)).toEqual(new Set(ids));
  });
});
