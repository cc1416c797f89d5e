import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  type Backend,
  passTime,
  queue,
  refused,
  scope,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, take, takeOne } from "../../testing/workers.fixture.ts";

const started = Date.parse("2026-11-21T08:00:00Z");

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());

async function reasonOf(t: Backend, jobId: string) {
  const [found] = await t.query(queue.jobs.waitReasons, { scope, jobIds: [jobId] });
  return found?.reason ?? null;
}

it("names the time before which a job may not run", async () => {
  const t = startQueue();
  const jobId = await submitJob(t, { delayMs: 60_000 });
  expect(await reasonOf(t, jobId)).toEqual({ kind: "time", until: started + 60_000, retried: false });
});

it("names the job that a job depends on", async () => {
  const t = startQueue();
  const first = await submitJob(t);
  const then = await submitJob(t, { after: { jobs: [first], when: "succeeded" } });
  expect(await reasonOf(t, then)).toEqual({ kind: "job", jobId: first });
});

it("names the limit that holds a job back", async () => {
  const t = startQueue();
  await t.mutation(queue.limits.set, { scope, of: "requester", name: "ada", concurrency: 1 });
  const jobs = await submitJobs(t, [{ requester: "ada" }, { requester: "ada" }]);
  await passTime(t, 10);
  expect(await reasonOf(t, jobs[1]!)).toEqual({ kind: "limit", of: "requester", name: "ada", limit: 1 });
});

it("tells who paused the lane, and since when", async () => {
  const t = startQueue();
  const jobId = await submitJob(t);
  const [lane] = await t.query(queue.lanes.list, { scope });
  const { laneId } = lane!;
  await t.mutation(queue.lanes.setState, { scope, laneId, state: "paused", actor: "eve" });
  expect(await reasonOf(t, jobId)).toEqual({ kind: "paused", laneId, by: "eve", since: started });
});

it("tells apart that no worker accepts jobs, has the model, meets the rest, or is free", async () => {
  const t = startQueue();
  const jobId = await submitJob(t, { requirements: { model: "m", memoryMb: 10 } });
  expect(await reasonOf(t, jobId)).toEqual({ kind: "no-worker" });
  await take(t, await addWorker(t, { models: ["other"] }));
  expect(await reasonOf(t, jobId)).toEqual({ kind: "no-model" });
  await take(t, await addWorker(t, { models: ["m"], memoryMb: 5 }));
  expect(await reasonOf(t, jobId)).toEqual({ kind: "no-match" });
  const able = await addWorker(t, { models: ["m"], memoryMb: 20 });
  await takeOne(t, able);
  expect(await reasonOf(t, jobId)).toBeNull();
  const second = await submitJob(t, { requirements: { model: "m", memoryMb: 10 } });
  expect(await reasonOf(t, second)).toEqual({ kind: "busy" });
});

it("answers nothing about jobs of another scope, and refuses too many ids", async () => {
  const t = startQueue();
  const [jobId] = await submitJobs(t, [{}], { scope: "other" });
  expect(await reasonOf(t, jobId!)).toBeNull();
  const jobIds = Array<string>(101).fill("x");
  expect(await refused(t.query(queue.jobs.waitReasons, { scope, jobIds }))).toBe("invalid");
});

it("reads few documents for a full page of jobs", async () => {
  const t = startQueue({ documentsRead: 300 });
  const jobs: string[] = [];
  for (let call = 0; call < 10; call += 1) jobs.push(...(await submitJobs(t, Array<object>(10).fill({}))));
  expect(await t.query(queue.jobs.waitReasons, { scope, jobIds: jobs })).toHaveLength(100);
});
