import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Backend } from "./testing/queue.fixture.ts";
import {
  jobRow,
  passTime,
  queue,
  startQueue,
  submitJob,
  submitJobs,
  scope,
} from "./testing/queue.fixture.ts";
import { addWorker, claim, complete, heldBy, shownTo, take, takeOne } from "./testing/workers.fixture.ts";

let t: Backend;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("take", () => {
  it("gives a job that is there, with what it takes to run it", async () => {
    const worker = await addWorker(t, { models: ["m"] });
    const jobId = await submitJob(t, { payload: { file: "b" }, requirements: { model: "m" }, watched: true });
    const { jobs, stands } = await take(t, worker);
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
        remainingMs: null,
      },
    ]);
    expect(stands).toEqual([]);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "running", startedAt: Date.now(), attempts: 1 });
  });

  it("has the worker wait where there is none, and be woken by the next", async () => {
    const worker = await addWorker(t);
    await submitJobs(t, [{}]);
    const { attemptId } = await takeOne(t, worker);
    const { jobs, stands } = await complete(t, worker, attemptId, { jobs: 1 });
    expect(jobs).toEqual([]);
    expect(stands).toHaveLength(1);
    const jobId = await submitJob(t);
    expect(await shownTo(t, worker)).toEqual([{ jobId, laneId: stands[0]?.laneId, late: false }]);
    const outcome = await claim(t, worker, jobId);
    expect(outcome).toMatchObject({ kind: "claimed", job: { jobId, begun: true }, stands: [] });
    expect(await heldBy(t, worker)).toMatchObject([{ jobId, begun: true, watched: false }]);
    expect(await shownTo(t, worker)).toEqual([]);
  });

  it("is woken by a lane that is made while it waits, too", async () => {
    const worker = await addWorker(t, { kinds: ["hash", "ocr"] });
    await submitJob(t);
    await complete(t, worker, (await takeOne(t, worker)).attemptId, { jobs: 1 });
    const jobId = await submitJob(t, { kind: "ocr" });
    await passTime(t, 0);
    expect(await shownTo(t, worker)).toMatchObject([{ jobId }]);
  });
});

it("knows the scope", async () => {
  expect(
    await t.query(queue.workers.list, { scope, paginationOpts: { numItems: 10, cursor: null } }),
  ).toMatchObject({
    page: [],
  });
});
