import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  type Backend,
  passTime,
  queue,
  scope,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, complete, take, takeOne } from "../../testing/workers.fixture.ts";
import { counts } from "./references.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(Date.parse("2026-11-21T08:00:00Z"));
});
afterEach(() => vi.useRealTimers());
vi.setConfig({ testTimeout: 60_000 });

const outlookOf = async (t: Backend, jobId: string, of = scope) =>
  await t.query(queue.jobs.outlook, { scope: of, jobId });

it("counts the jobs before a job exactly while they are few: those of higher priority, and older ones of its own", async () => {
  const t = startQueue();
  const [first, second] = await submitJobs(t, [{}, {}]);
  vi.setSystemTime(Date.now() + 1);
  const late = await submitJob(t);
  const low = await submitJob(t, { priority: "low" });
  expect(await outlookOf(t, first!)).toEqual({
    ahead: { jobs: 0, exact: true },
    expectedMs: null,
    workers: 0,
  });
  expect(await outlookOf(t, second!)).toMatchObject({ ahead: { jobs: 1, exact: true } });
  expect(await outlookOf(t, low)).toMatchObject({ ahead: { jobs: 3, exact: true } });
  await submitJob(t, { priority: "high" });
  expect(await outlookOf(t, late)).toMatchObject({ ahead: { jobs: 3, exact: true } });
});

it("tells how long the jobs before it take, by the last count, and how many workers accept such jobs", async () => {
  const t = startQueue();
  await submitJobs(
    t,
    Array.from({ length: 10 }, () => ({})),
  );
  const worker = await addWorker(t);
  for (let done = 0; done < 10; done += 1) {
    const { attemptId } = await takeOne(t, worker);
    vi.setSystemTime(Date.now() + 10_000);
    await complete(t, worker, attemptId);
  }
  const ids = await submitJobs(
    t,
    Array.from({ length: 20 }, () => ({})),
  );
  expect(await outlookOf(t, ids[19]!)).toMatchObject({ expectedMs: null, workers: 1 });
  await t.action(counts.count, {});
  expect(await outlookOf(t, ids[0]!)).toMatchObject({ ahead: { jobs: 0 }, expectedMs: 0 });
  expect(await outlookOf(t, ids[10]!)).toMatchObject({ ahead: { jobs: 10 }, expectedMs: 100_000 });
  vi.setSystemTime(Date.now() + 200_000);
  expect(await outlookOf(t, ids[10]!)).toMatchObject({ ahead: { jobs: 10 }, expectedMs: null });
});

it("estimates the place among many jobs, and reads few of them", async () => {
  const t = startQueue({ documentsRead: 250 });
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    ids.push(
      ...(await submitJobs(
        t,
        Array.from({ length: 20 }, () => ({})),
      )),
    );
    vi.setSystemTime(Date.now() + 1_000);
  }
  const outlook = await outlookOf(t, ids.at(-1)!);
  expect(outlook?.ahead?.exact).toBe(false);
  // 399 jobs are before it. The estimate's error is below half of that but for one time in many thousands.
  expect(outlook?.ahead?.jobs).toBeGreaterThan(150);
  expect(outlook?.ahead?.jobs).toBeLessThan(1_200);
  expect((await outlookOf(t, ids[0]!))?.ahead?.jobs).toBeLessThan(120);
});

it("has no place for a job that waits for something else, and nothing for one that a worker has, or of another scope", async () => {
  const t = startQueue();
  const delayed = await submitJob(t, { delayMs: 60_000 });
  expect(await outlookOf(t, delayed)).toEqual({ ahead: null, expectedMs: null, workers: 0 });
  const jobId = await submitJob(t);
  expect(await outlookOf(t, jobId, "other")).toBeNull();
  const worker = await addWorker(t);
  await take(t, worker);
  expect(await outlookOf(t, jobId)).toBeNull();
  await passTime(t, 10);
});
