import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobSpec } from "../../../shared/validators.ts";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  startQueue,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import {
  addWorker,
  claim,
  complete,
  shownTo,
  take,
  type TestWorker,
  waitingPositions,
} from "../../testing/workers.fixture.ts";
import type { Id } from "../builders.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A job of 300 units: 3 s on a worker with 100 units a second, 12 s on one with 25. The difference is 9 s. */
const size = { input: 0, output: 300 };
/** A quarter of the difference. */
const patienceMs = 9_000 / 4;

/** Affinities by the half of the ring in which their points are. */
const [inFirstHalf, inSecondHalf] = ["x1", "a"];

const atSpeed = (outputPerSecond: number, setupMs?: number) => ({
  speeds: [
    { of: "hash", inputPerSecond: 1_000, outputPerSecond, ...(setupMs === undefined ? {} : { setupMs }) },
  ],
});

/** A worker reports its speed again. Then it waits for jobs again. */
async function report(t: Backend, worker: TestWorker, speed: number, setupMs?: number): Promise<void> {
  const capabilities = { kinds: ["hash"], ...atSpeed(speed, setupMs) };
  await t.mutation(queue.work.hello, { keyHash: worker.keyHash, capabilities, startup: false });
  await take(t, worker);
}

async function submit(t: Backend, job: Partial<JobSpec> = {}): Promise<Id<"jobs">> {
  const [jobId] = await submitJobs(t, [{ size, ...job }], { handOver: true });
  return jobId as Id<"jobs">;
}

/** Waiting workers with these speeds, evenly around the ring, in a lane that knows its speed. */
async function fleet(t: Backend, ...speeds: readonly number[]): Promise<readonly TestWorker[]> {
  const workers = [];
  for (const [index, speed] of speeds.entries()) {
    const position = (index * 65_536) / speeds.length;
    workers.push(await addWorker(t, atSpeed(speed), { position }));
  }
  const first = await submit(t);
  for (const worker of workers) await take(t, worker, { jobs: 0 });
  const [one] = workers;
  const claimed = await claim(t, one!, first);
  if (claimed.kind === "claimed") await complete(t, one!, claimed.job.attemptId);
  for (const worker of workers) await take(t, worker);
  // The lane learns its speed a second after workers have joined.
  await passTime(t, 61_000);
  return workers;
}

const holderOf = async (t: Backend, jobId: Id<"jobs">): Promise<string | null> => {
  const { currentAttemptId } = await jobRow(t, jobId);
  if (currentAttemptId === undefined) return null;
  return await t.run(async (ctx) => (await ctx.db.get("attempts", currentAttemptId))?.workerId ?? null);
};

describe("a fleet with different speeds", () => {
  it.each([0, 0.3, 0.6, 0.9])("hands a job to the fastest of the workers nearby (%d)", async (random) => {
    const t = startQueue();
    const workers = await fleet(t, 12, 100, 40, 11);
    vi.spyOn(Math, "random").mockReturnValue(random);
    expect(await holderOf(t, await submit(t))).toBe(workers[1]!.workerId);
  });

  it.each([0, 0.3, 0.6, 0.9])(
    "hands a job to a worker that is ready, unless one that has to load first ends it sooner (%d)",
    async (random) => {
      const t = startQueue();
      const [one, other] = await fleet(t, 60, 100);
      vi.spyOn(Math, "random").mockReturnValue(random);
      const holderNow = async (output: number): Promise<TestWorker> => {
        const jobId = await submit(t, { size: { input: 0, output } });
        const workerId = await holderOf(t, jobId);
        const holder = [one!, other!].find((worker) => worker.workerId === workerId)!;
        await complete(t, holder, (await jobRow(t, jobId)).currentAttemptId!, { jobs: 1 });
        return holder;
      };
      // 300 units take 5 s on the slower worker and 3 s on the faster one; 3,000 units 50 s and 30 s.
      await report(t, other!, 100, 10_000);
      expect(await holderNow(300)).toBe(one);
      expect(await holderNow(3_000)).toBe(other);
      // It has loaded.
      await report(t, other!, 100);
      expect(await holderNow(300)).toBe(other);
    },
  );

  it("hands a job to a worker that is ready rather than to the one that had read its input and has to load", async () => {
    const t = startQueue();
    const workers = await fleet(t, 100, 100);
    const job = { affinity: inFirstHalf, size: { input: 10_000, output: 100 } };
    const first = await submit(t, job);
    const holder = await holderOf(t, first);
    const before = workers.find(({ workerId }) => workerId === holder)!;
    await complete(t, before, (await jobRow(t, first)).currentAttemptId!, { jobs: 0 });
    await report(t, before, 100, 5_000);
    expect(await holderOf(t, await submit(t, job))).not.toBe(before.workerId);
  });

  it("hands a job to the worker that has probably read its input, unless another ends it sooner", async () => {
    const t = startQueue();
    const workers = await fleet(t, 60, 100);
    const holders = async (output: number): Promise<number> => {
      const found = new Set<string>();
      for (const affinity of [inFirstHalf, inSecondHalf]) {
        const jobId = await submit(t, { affinity, size: { input: 10_000, output } });
        const workerId = await holderOf(t, jobId);
        const holder = workers.find((worker) => worker.workerId === workerId)!;
        found.add(holder.workerId);
        await complete(t, holder, (await jobRow(t, jobId)).currentAttemptId!, { jobs: 1 });
      }
      return found.size;
    };
    // Reading takes 10 s. Writing 100 units takes 0.7 s longer on the slower worker; writing 10,000, more than a minute.
    expect(await holders(100)).toBe(2);
    expect(await holders(10_000)).toBe(1);
  });

  it("keeps a job from a slow worker while a faster one may come, and no longer", async () => {
    const t = startQueue();
    const [slow, fast] = await fleet(t, 25, 100);
    const busy = await submit(t);
    expect(await holderOf(t, busy)).toBe(fast!.workerId);
    const jobId = await submit(t);
    expect(await holderOf(t, jobId)).toBeNull();
    expect(await shownTo(t, slow!)).toMatchObject([{ jobId, patienceMs }]);
    // It asks again, as after a job of its own.
    expect((await take(t, slow!)).jobs).toEqual([]);
    await passTime(t, patienceMs);
    expect((await take(t, slow!)).jobs).toMatchObject([{ jobId }]);
  });

  it.each([
    ["if that ends it soon enough and no faster one is idle", 9_000, true],
    ["only if that ends it soon enough", 8_900, false],
  ])("hands a job to a slow worker %s", async (_, slowerByMs, gets) => {
    const t = startQueue();
    // The slowest one would end the job 27 s later.
    const [slow, fast] = await fleet(t, 25, 100, 10);
    const holders = [];
    for (const apart of ["a", "b", "c"]) {
      const [jobId] = await submitJobs(t, [{ size, apart }], { handOver: true, slowerByMs });
      holders.push(await holderOf(t, jobId!));
    }
    expect(holders).toEqual([fast!.workerId, gets ? slow!.workerId : null, null]);
  });

  it("wakes a fast worker and a slow one with a job that was not handed over", async () => {
    const t = startQueue();
    const workers = await fleet(t, 10, 100, 11, 90);
    const [jobId] = await submitJobs(t, [{ size }]);
    const shown = await Promise.all(workers.map((worker) => shownTo(t, worker)));
    const prompt = shown.map((jobs) => jobs.filter((job) => !job.late).map((job) => job.jobId));
    expect([prompt[0]!, prompt[2]!].flat()).toEqual([jobId]);
    expect([prompt[1]!, prompt[3]!].flat()).toEqual([jobId]);
  });

  it("gives a short job to a slow worker soon", async () => {
    const t = startQueue();
    const [slow] = await fleet(t, 25, 100);
    await submit(t);
    const jobId = await submit(t, { size: { input: 0, output: 4 } });
    expect(await shownTo(t, slow!)).toMatchObject([{ jobId, patienceMs: 30 }]);
  });

  it("compares by the output that is likely, not by the most", async () => {
    const t = startQueue();
    const [slow] = await fleet(t, 25, 100);
    await submit(t);
    const jobId = await submit(t, { size: { input: 0, output: 10_000, likelyOutput: 4 } });
    expect(await shownTo(t, slow!)).toMatchObject([{ jobId, patienceMs: 30 }]);
  });

  it("does not take a patient worker for a dead one", async () => {
    const t = startQueue();
    const [slow, fast] = await fleet(t, 25, 100);
    const busy = await submit(t);
    const jobId = await submit(t);
    await t.run(async (ctx) => {
      // The job is in the slow worker's arc.
      await ctx.db.patch("jobs", jobId, { place: 0 });
    });
    const attemptId = (await jobRow(t, busy)).currentAttemptId!;
    await complete(t, fast!, attemptId, { jobs: 0 });
    await passTime(t, 500);
    expect((await claim(t, fast!, jobId, true)).kind).toBe("claimed");
    expect(await waitingPositions(t, slow!)).toHaveLength(1);
  });

  it.each([
    ["the job has no size", false, [10, 100]],
    ["all are equally slow", true, [10, 10]],
  ])("lets every worker take a job at once if %s", async (_, sized, speeds) => {
    const t = startQueue();
    const workers = await fleet(t, ...speeds);
    const [jobId] = await submitJobs(t, [sized ? { size } : {}]);
    const shown = await Promise.all(workers.map((worker) => shownTo(t, worker)));
    expect(shown.flat().map((one) => [one.jobId, one.patienceMs])).toEqual([
      [jobId, undefined],
      [jobId, undefined],
    ]);
  });

  it("treats workers alike while the speeds of most are unknown", async () => {
    const t = startQueue();
    const workers = await fleet(t, 25, 100);
    for (let i = 0; i < 3; i += 1) {
      const unknown = await addWorker(t, {}, { position: 100 + i });
      await take(t, unknown);
    }
    await passTime(t, 61_000);
    const lane = await t.run(async (ctx) => await ctx.db.query("lanes").first());
    expect(lane?.rate).toBeUndefined();
    expect(workers).toHaveLength(2);
  });
});
