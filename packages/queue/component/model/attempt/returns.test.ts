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
import { addWorker, claim, complete, fail, take, type TestWorker } from "../../testing/workers.fixture.ts";

let t: Backend;
let returner: TestWorker;
let other: TestWorker;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
  returner = await addWorker(t);
  other = await addWorker(t);
  // The lane exists, and both take its jobs.
  await complete(t, returner, await claimed(returner, await submitJob(t)));
  for (const worker of [returner, other]) await take(t, worker);
});

afterEach(() => {
  vi.useRealTimers();
});

async function claimed(worker: TestWorker, jobId: string): Promise<string> {
  const outcome = await claim(t, worker, jobId);
  if (outcome.kind !== "claimed") throw new Error(outcome.kind);
  return outcome.job.attemptId;
}

async function release({ keyHash }: TestWorker, ...attemptIds: string[]): Promise<void> {
  await t.mutation(queue.work.release, { keyHash, attemptIds, reason: "in-use", leave: false });
  await passTime(t, 1_000);
}

async function restart({ keyHash }: TestWorker): Promise<void> {
  await t.mutation(queue.work.hello, { keyHash, capabilities: { kinds: ["hash"] }, startup: true });
  await take(t, { keyHash, workerId: "" }, { jobs: 0 });
  await passTime(t, 1_000);
}

/** Lets the worker claim a job and give it back, three times. */
async function returnThrice(jobId: string, give: (attemptId: string) => Promise<void>): Promise<void> {
  for (let i = 0; i < 3; i += 1) await give(await claimed(returner, jobId));
}

describe("a worker that gives a job back again and again", () => {
  it.each<[string, (attemptId: string) => Promise<void>]>([
    ["by a release", async (attemptId) => await release(returner, attemptId)],
    ["by a restart", async () => await restart(returner)],
    [
      "by a goodbye",
      async () => {
        await t.mutation(queue.work.goodbye, { keyHash: returner.keyHash });
        await restart(returner);
      },
    ],
  ])("leaves it to others after three times: %s", async (_, give) => {
    const jobId = await submitJob(t);
    await returnThrice(jobId, give);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 0 });
    expect(await claim(t, returner, jobId)).toEqual({ kind: "unable" });
    expect(await claim(t, other, jobId)).toMatchObject({ kind: "claimed" });
  });

  it("leaves it to others if it does not start it, either", async () => {
    await claimed(other, await submitJob(t));
    await take(t, returner);
    const [jobId = ""] = await submitJobs(t, [{}], { handOver: true });
    expect((await jobRow(t, jobId)).status).toBe("prefetched");
    await passTime(t, 8_000);
    expect((await jobRow(t, jobId)).status).toBe("ready");
    for (let i = 0; i < 2; i += 1) await release(returner, await claimed(returner, jobId));
    expect(await claim(t, returner, jobId)).toEqual({ kind: "unable" });
  });

  it("leaves it to others if it lets them steal it before it starts", async () => {
    await claimed(other, await submitJob(t));
    await take(t, returner);
    const [jobId = ""] = await submitJobs(t, [{}], { handOver: true });
    await passTime(t, 2_500);
    const thief = await addWorker(t);
    expect(await claim(t, thief, jobId, true)).toMatchObject({ kind: "claimed" });
    expect((await jobRow(t, jobId)).returnedBy).toEqual([{ workerId: returner.workerId, times: 1 }]);
    const page = await t.query(queue.workers.history, {
      scope,
      workerId: returner.workerId,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(page.page).toMatchObject([{ status: "stolen", releaseReason: "not started in time" }]);
  });

  it("gets it again while no other worker takes such jobs", async () => {
    await t.mutation(queue.work.leave, { keyHash: other.keyHash });
    const jobId = await submitJob(t);
    await returnThrice(jobId, async (attemptId) => await release(returner, attemptId));
    await complete(t, returner, await claimed(returner, jobId));
    expect((await jobRow(t, jobId)).status).toBe("succeeded");
  });

  it("still gets other jobs, and those that it returned twice", async () => {
    const jobId = await submitJob(t);
    for (let i = 0; i < 2; i += 1) await release(returner, await claimed(returner, jobId));
    await release(other, await claimed(other, jobId));
    await claimed(returner, jobId);
  });

  it("may try a retried dead letter again", async () => {
    const jobId = await submitJob(t, { policy: { maxFailures: 1 } });
    await returnThrice(jobId, async (attemptId) => await release(returner, attemptId));
    await fail(t, other, await claimed(other, jobId));
    await t.mutation(queue.deadLetters.retry, { scope, jobId, actor: "eve" });
    await take(t, other, { jobs: 0 });
    await claimed(returner, jobId);
  });

  it("no longer delays it: another worker is woken at once", async () => {
    for (let i = 0; i < 8; i += 1) {
      const jobId = await submitJob(t);
      await returnThrice(jobId, async (attemptId) => await release(returner, attemptId));
      const shown = await t.query(queue.work.candidates, { keyHash: other.keyHash, subscriptions: [] });
      expect(shown.jobs).toContainEqual(expect.objectContaining({ jobId, late: false }));
      await complete(t, other, await claimed(other, jobId));
      await take(t, other);
    }
  });
});
