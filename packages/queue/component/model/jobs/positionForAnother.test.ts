import { afterEach, beforeEach, expect, it, vi } from "vitest";
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
  fail,
  shownTo,
  take,
  type TestWorker,
} from "../../testing/workers.fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
});

type Fleet = {
  readonly t: Backend;
  /** Waits, is a long way from the others, and may have the job. */
  readonly free: TestWorker;
  /** Tries the job first. */
  readonly trier: TestWorker;
  /** Of the workers that never get the job, and wait around the ring. */
  readonly exceptWorkers: string[];
};

async function fleet(): Promise<Fleet> {
  const t = startQueue();
  // Creates a lane, so that there is a ring to wait in.
  await t.mutation(queue.jobs.cancel, { scope, jobId: await submitJob(t) });
  const exceptWorkers = [];
  for (let position = 3_000; position < 65_000; position += 5_000) {
    const barred = await addWorker(t, {}, { position });
    await take(t, barred);
    exceptWorkers.push(barred.workerId);
  }
  const free = await addWorker(t, {}, { position: 100 });
  const trier = await addWorker(t, {}, { position: 30_000 });
  return { t, free, trier, exceptWorkers };
}

/** @returns the attempt's id. */
async function claimed(t: Backend, worker: TestWorker, jobId: string): Promise<string> {
  const outcome = await claim(t, worker, jobId);
  if (outcome.kind !== "claimed") throw new Error(outcome.kind);
  return outcome.job.attemptId;
}

/** Lets the first worker claim the job, and then the other one wait. @returns the attempt's id. */
async function tried({ t, free, trier }: Fleet, jobId: string): Promise<string> {
  const attemptId = await claimed(t, trier, jobId);
  await take(t, free);
  return attemptId;
}

/** Submits a job that wakes the first worker. */
async function forTrier({ t, trier, exceptWorkers }: Fleet, policy = {}): Promise<string> {
  await take(t, trier);
  return await submitJob(t, { exceptWorkers, policy });
}

it.each<[string, (fleet: Fleet) => Promise<string>]>([
  [
    "its delay is over",
    async ({ t, free, exceptWorkers }) => {
      const jobId = await submitJob(t, { exceptWorkers, delayMs: 5_000 });
      await take(t, free);
      await passTime(t, 6_000);
      return jobId;
    },
  ],
  [
    "the job that it needs is done",
    async ({ t, free, trier, exceptWorkers }) => {
      const needed = await submitJob(t);
      const jobId = await submitJob(t, { exceptWorkers, after: { jobs: [needed], when: "succeeded" } });
      const attemptId = await claimed(t, trier, needed);
      await take(t, free);
      await complete(t, trier, attemptId);
      await passTime(t, 100);
      return jobId;
    },
  ],
  [
    "its requester's turn comes",
    async ({ t, free, exceptWorkers }) => {
      await t.mutation(queue.limits.set, { scope, of: "requester", name: "ann", concurrency: 1 });
      await take(t, free);
      const jobId = await submitJob(t, { exceptWorkers, requester: "ann" });
      await passTime(t, 100);
      return jobId;
    },
  ],
  [
    "it failed, and its back-off is over",
    async (all) => {
      const jobId = await forTrier(all);
      await fail(all.t, all.trier, await claimed(all.t, all.trier, jobId));
      await take(all.t, all.free);
      await passTime(all.t, 60_000);
      return jobId;
    },
  ],
  [
    "it failed at all that may have it",
    async (all) => {
      const jobId = await submitJob(all.t, { exceptWorkers: all.exceptWorkers, policy: { maxFailures: 5 } });
      await fail(all.t, all.free, await claimed(all.t, all.free, jobId));
      await take(all.t, all.trier);
      await passTime(all.t, 60_000);
      await fail(all.t, all.trier, await tried(all, jobId));
      await passTime(all.t, 60_000);
      return jobId;
    },
  ],
  [
    "its worker gives it back",
    async (all) => {
      const jobId = await forTrier(all);
      const attemptIds = [await tried(all, jobId)];
      const { keyHash } = all.trier;
      await all.t.mutation(queue.work.release, { keyHash, attemptIds, reason: "in-use", leave: false });
      return jobId;
    },
  ],
  [
    "its worker is lost",
    async (all) => {
      const jobId = await forTrier(all);
      await tried(all, jobId);
      await passTime(all.t, 60_000);
      return jobId;
    },
  ],
  [
    "it was handed over and not started",
    async ({ t, free, trier, exceptWorkers }) => {
      await take(t, trier);
      let jobId = "";
      // A submission asks some of the waiters only.
      while (jobId === "" || (await jobRow(t, jobId)).status !== "prefetched") {
        if (jobId !== "") await t.mutation(queue.jobs.cancel, { scope, jobId });
        [jobId = ""] = await submitJobs(t, [{ exceptWorkers }], { handOver: true });
      }
      await take(t, free);
      await passTime(t, 8_000);
      return jobId;
    },
  ],
  [
    "it is a dead letter that is retried",
    async (all) => {
      const jobId = await forTrier(all, { maxFailures: 1 });
      await fail(all.t, all.trier, await tried(all, jobId), crash);
      await all.t.mutation(queue.deadLetters.retry, { scope, jobId });
      return jobId;
    },
  ],
])("a job that is kept from workers wakes another one when %s", async (_, becomeReady) => {
  for (let each = 0; each < 3; each += 1) {
    const all = await fleet();
    const jobId = await becomeReady(all);
    expect(await jobRow(all.t, jobId)).toMatchObject({ status: "ready" });
    expect(await shownTo(all.t, all.free)).toMatchObject([{ jobId, late: false }]);
  }
});
