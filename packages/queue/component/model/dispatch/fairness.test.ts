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
import { addWorker, claim, complete, shownTo, take, type TestWorker } from "../../testing/workers.fixture.ts";
import type { ClaimedJob, Cursor, NextWork } from "../../validators.ts";

let t: Backend;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The jobs that a worker does, one after the other, as long as it gets some, at most so many. */
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

/** Submits jobs that are all alike, as many in a call as it takes. */
async function submitAlike(count: number, job: Parameters<typeof submitJob>[1]): Promise<void> {
  const perCall = 500;
  for (let submitted = 0; submitted < count; submitted += perCall) {
    await submitJobs(
      t,
      Array.from({ length: Math.min(perCall, count - submitted) }, () => ({ ...job })),
    );
  }
}

/** Lets the lane's slots fit the workers that accept its jobs. */
async function fitSlots(workers: readonly TestWorker[]): Promise<void> {
  const jobId = await submitJob(t);
  for (const worker of workers) await take(t, worker, { jobs: 0 });
  await t.mutation(queue.jobs.cancel, { scope: "acme", jobId });
  for (const worker of workers) await take(t, worker);
  await passTime(t, 0);
}

describe("between requesters", () => {
  it.each([
    [1, 60],
    [2, 60],
    [5, 60],
    [5, 10_000],
  ])(
    "%i workers let a second one's first job wait for one job each at most, where the first has %i",
    { timeout: 120_000 },
    async (fleet, jobs) => {
      const workers: TestWorker[] = [];
      for (let i = 0; i < fleet; i += 1) workers.push(await addWorker(t));
      await fitSlots(workers);
      await submitAlike(jobs, { requester: "many" });
      // All are at work on the first one's jobs when the second comes.
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
      // Each of them has ended one job, and now one of them has the second one's.
      expect(started).toContain(jobId);
    },
  );

  it("lets it wait for what each holds ahead and no more, where they do two at once", async () => {
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
      const ended = { keyHash, attemptId: first, result: "done", begins: [ahead] };
      const next = await t.mutation(queue.work.complete, { ...ended, wish: { jobs: 1, cursor } });
      brought.push(...next.jobs);
    }
    // It is the next that one of them begins: at the end of the other job that it was at work on.
    expect(brought.find((job) => job.jobId === jobId)).toMatchObject({ begun: false });
  });

  it("takes turns, by weight", async () => {
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

  it("does those of one in the order in which they came", async () => {
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

describe("between levels", () => {
  it("does the high ones first, and leaves the lower ones a sixteenth each", async () => {
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

  it("goes on with lower ones when there are no high ones", async () => {
    const worker = await addWorker(t);
    const low = await submitJob(t, { priority: "low" });
    const normal = await submitJob(t);
    expect((await doneBy(worker, 3)).map(({ _id }) => _id)).toEqual([normal, low]);
  });
});

describe("between lanes", () => {
  it("stays with the model that it has loaded, but for one turn of eight", async () => {
    const worker = await addWorker(t, { models: ["a", "b"] });
    const of = (model: string) => Array.from({ length: 30 }, () => ({ requirements: { model } }));
    await submitJobs(t, [...of("a"), ...of("b")]);
    const models = (await doneBy(worker, 24)).map(({ requirements }) => requirements?.model);
    const changes = models.filter((model, i) => i > 0 && model !== models[i - 1]).length;
    expect(new Set(models).size).toBe(2);
    expect(changes).toBeLessThanOrEqual(4);
  });
});

describe.each([1, 5])("between lanes, with %i workers", (fleet) => {
  const ofModel = (model: string) => ({ requirements: { model } });

  /** All are at work on one requester's jobs in one lane when another job comes in a lane that none was at. */
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

  it("a requester's first job waits for one job of another's each at most", async () => {
    expect(await turnsUntilBegun({ requester: "few" })).toBe(1);
  });

  it("it does, too, where that one has 10,000 in line", { timeout: 120_000 }, async () => {
    expect(await turnsUntilBegun({ requester: "few" }, 10_000)).toBe(1);
  });

  it("a high job goes first, whoever asks", async () => {
    expect(await turnsUntilBegun({ requester: "many", priority: "high" })).toBe(1);
  });
});

describe("theft", () => {
  it("reaches every job wherever it stands, by workers with no slot of their own", async () => {
    const workers = [];
    for (let i = 0; i < 3; i += 1) workers.push(await addWorker(t));
    await fitSlots(workers);
    const ids = await submitJobs(
      t,
      Array.from({ length: 20 }, () => ({})),
    );
    const [first, second, third] = workers;
    if (first === undefined || second === undefined || third === undefined) throw new Error("no workers");
    // The others are at work, each on a job of its own home.
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
