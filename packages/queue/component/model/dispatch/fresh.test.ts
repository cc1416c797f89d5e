import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { broken, echo, startWithApp, tooLarge } from "../../testing/app.fixture.ts";
import { type Backend, passTime, queue, scope, startQueue, submitJob } from "../../testing/queue.fixture.ts";
import { addWorker, crash, fail, take, takeOne, type TestWorker } from "../../testing/workers.fixture.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime("2026-11-21T08:00:00Z");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const handed = (t: Backend, { keyHash }: TestWorker) => t.query(queue.work.handed, { keyHash });

it("each attempt gets what onClaim says at its claim", async () => {
  const t = startWithApp([]);
  const jobId = await submitJob(t, { onClaim: echo, context: { order: 7 } });
  const worker = await addWorker(t);
  const first = await takeOne(t, worker);
  expect(first.fresh).toEqual({ scope, jobId, kind: "hash", context: { order: 7 }, echoes: 1 });
  await fail(t, worker, first.attemptId, crash);
  await passTime(t, 60_000);
  expect((await takeOne(t, worker)).fresh).toMatchObject({ echoes: 2 });
});

it("a worker that is handed a job reads what onClaim said", async () => {
  const t = startWithApp([]);
  const worker = await addWorker(t);
  await submitJob(t);
  await fail(t, worker, (await takeOne(t, worker)).attemptId, { ...crash, retryable: false });
  await take(t, worker);
  await t.mutation(queue.jobs.submit, {
    scope,
    jobs: [{ kind: "hash", payload: {}, onClaim: echo }],
    handOver: true,
  });
  expect(await handed(t, worker)).toMatchObject([{ fresh: { kind: "hash", echoes: 1 } }]);
});

it.each([
  ["throws", broken],
  ["returns too much", tooLarge],
])("an attempt goes on without fresh data if onClaim %s, and the app's log says so", async (_, onClaim) => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const t = startWithApp([]);
  await submitJob(t, { onClaim });
  expect(await takeOne(t, await addWorker(t))).not.toHaveProperty("fresh");
  expect(log).toHaveBeenCalledWith(
    expect.stringContaining("onClaim of hash"),
    ...(onClaim === broken ? ["Error"] : []),
  );
});

it("a job without onClaim has no fresh data", async () => {
  const t = startQueue();
  await submitJob(t);
  expect(await takeOne(t, await addWorker(t))).not.toHaveProperty("fresh");
});
