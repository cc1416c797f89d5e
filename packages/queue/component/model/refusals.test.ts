import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { refuseOnce, startWithApp, statusesOf } from "../testing/app.fixture.ts";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  scope,
  submitJob,
  submitJobs,
} from "../testing/queue.fixture.ts";
import { addWorker, complete, fail, take, takeOne } from "../testing/workers.fixture.ts";

const started = Date.parse("2026-11-21T08:00:00Z");
const fatal = { code: "broken", message: "It is broken.", retryable: false };
const never = "function://;nowhere:mended";
/** Longer than the longest pause between two tries. */
const laterMs = 700_000;

let called: unknown[];
let t: Backend;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
  vi.spyOn(console, "error").mockReturnValue();
  called = [];
  t = startWithApp(called);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("refused ends", () => {
  it("an end that the app refuses is retried after a worker went silent", async () => {
    const policy = { maxFailures: 1 };
    const ids = await submitJobs(t, [{ onFinal: refuseOnce, policy }, { onFinal: never, policy }, {}]);
    await take(t, await addWorker(t, { concurrency: 3 }), { jobs: 3 });
    await passTime(t, 41_000);
    expect(await statusesOf(t, ids)).toEqual(["running", "running", "ready"]);
    await passTime(t, 2_000);
    expect(await statusesOf(t, ids)).toEqual(["failed", "running", "ready"]);
    expect(called).toMatchObject([{ outcome: "failed", error: { code: "worker_lost" } }]);
  });

  it("an end that the app refused is not retried after the silent worker came back", async () => {
    const jobId = await submitJob(t, { onFinal: never, policy: { maxFailures: 1 } });
    const worker = await addWorker(t);
    await takeOne(t, worker);
    await passTime(t, 60_000);
    await t.mutation(queue.work.heartbeat, { keyHash: worker.keyHash });
    await t.run(async (ctx) => await ctx.db.patch("jobs", jobId, { onFinal: refuseOnce }));
    for (let ms = 0; ms < laterMs; ms += 15_000) {
      await passTime(t, 15_000);
      await t.mutation(queue.work.heartbeat, { keyHash: worker.keyHash });
    }
    expect(await statusesOf(t, [jobId])).toEqual(["running"]);
    expect(called).toEqual([]);
  });

  it("an end that the app refuses is retried after a job expired", async () => {
    const jobId = await submitJob(t, { onFinal: refuseOnce, deadlineAt: started + 5_000 });
    await passTime(t, 5_000);
    expect(await statusesOf(t, [jobId])).toEqual(["ready"]);
    await passTime(t, 1_000);
    expect(await statusesOf(t, [jobId])).toEqual(["expired"]);
    expect(called).toMatchObject([{ outcome: "expired" }]);
  });

  it("an end that the app refuses is retried after a dependency failed, and the job does not run meanwhile", async () => {
    const [a = "", other = ""] = await submitJobs(t, [{ priority: "high" }, {}]);
    const after = { jobs: [a, other], when: "succeeded" as const };
    const ids = await submitJobs(t, [
      { after, onFinal: refuseOnce },
      { after, onFinal: never },
      ...Array.from({ length: 60 }, () => ({ after })),
    ]);
    const worker = await addWorker(t);
    await fail(t, worker, (await takeOne(t, worker)).attemptId, fatal);
    await complete(t, worker, (await takeOne(t, worker)).attemptId);
    await passTime(t, 100);
    const [once, stuck, ...rest] = await statusesOf(t, ids);
    expect([once, stuck]).toEqual(["waiting for jobs", "waiting for jobs"]);
    expect(new Set(rest)).toEqual(new Set(["canceled"]));
    await passTime(t, laterMs);
    expect((await statusesOf(t, ids)).slice(0, 2)).toEqual(["canceled", "waiting for jobs"]);
    expect(called).toMatchObject([{ outcome: "canceled", error: { code: "dependency_failed" } }]);
  });

  it("an end that the app refuses is retried after many jobs were canceled", async () => {
    const jobs = Array.from({ length: 120 }, () => ({ requester: "ada" }));
    const ids = await submitJobs(t, [
      { requester: "ada", onFinal: refuseOnce },
      { requester: "ada", onFinal: never },
      ...jobs,
    ]);
    await t.mutation(queue.jobs.cancelMany, { scope, by: "requester", name: "ada", running: true });
    await passTime(t, 500);
    const [once, stuck, ...rest] = await statusesOf(t, ids);
    expect([once, stuck]).toEqual(["ready", "ready"]);
    expect(new Set(rest)).toEqual(new Set(["canceled"]));
    const later = await submitJob(t, { requester: "ada" });
    await passTime(t, laterMs);
    expect(await statusesOf(t, [...ids.slice(0, 2), later])).toEqual(["canceled", "ready", "ready"]);
    expect(called).toMatchObject([{ outcome: "canceled" }]);
  });
});

it("refuses the worker's own call when the app refuses the end", async () => {
  const jobId = await submitJob(t, { onFinal: refuseOnce });
  const worker = await addWorker(t);
  const { attemptId } = await takeOne(t, worker);
  await expect(complete(t, worker, attemptId)).rejects.toThrow("out of order");
  expect(await statusesOf(t, [jobId])).toEqual(["running"]);
  expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "completed" });
});

it("keeps a worker's error text well-formed, even if it is cut in the middle of a character", async () => {
  const jobId = await submitJob(t);
  const worker = await addWorker(t);
  const message = `${"x".repeat(499)}\u{1F600}`;
  await fail(t, worker, (await takeOne(t, worker)).attemptId, { ...fatal, message });
  expect((await jobRow(t, jobId)).error?.message).toBe(`${"x".repeat(499)}\u{FFFD}`);
});

it("needs no timer for a time limit that is too far away, and ends a job that is long past", async () => {
  const [over] = await submitJobs(t, [{ expiresAt: 0 }, { deadlineAt: Number.MAX_SAFE_INTEGER }]);
  const times = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
  const expiries = times.filter(({ name }) => name.includes("expire"));
  expect(expiries.map(({ scheduledTime }) => scheduledTime - started)).toEqual([0]);
  await passTime(t, 1);
  expect(await statusesOf(t, [over!])).toEqual(["expired"]);
});
