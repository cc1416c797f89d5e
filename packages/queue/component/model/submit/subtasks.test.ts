import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Policy, Subtask } from "../../../shared/validators.ts";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  refused,
  startQueue,
  submitJob,
} from "../../testing/queue.fixture.ts";
import { addWorker, crash, fail, takeOne, type TestWorker } from "../../testing/workers.fixture.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime("2026-11-21T08:00:00Z");
});
afterEach(() => vi.useRealTimers());

const part: Subtask = { kind: "part", payload: { n: 1 } };

async function startRunning(t: Backend, policy: Policy) {
  const jobId = await submitJob(t, {
    requester: "ann",
    key: "k1",
    priority: "high",
    context: { order: 7 },
    onFinal: "function://app/onFinal",
    policy,
  });
  const worker = await addWorker(t);
  const { attemptId } = await takeOne(t, worker);
  return { jobId, worker, attemptId };
}

const say = (
  t: Backend,
  { keyHash }: TestWorker,
  attemptId: string,
  { first = 0, jobs = [part] }: { readonly first?: number; readonly jobs?: Subtask[] } = {},
) => t.mutation(queue.work.submit, { keyHash, attemptId, first, jobs });

async function submittedIds(call: ReturnType<typeof say>): Promise<readonly string[]> {
  const outcome = await call;
  if (outcome.kind !== "submitted") throw new Error(outcome.kind);
  return outcome.jobIds;
}

const jobCount = async (t: Backend) =>
  (await t.run(async (ctx) => await ctx.db.query("jobs").collect())).length;

it("a subtask has its parent's scope, requester, key and priority, and neither its context nor subtasks", async () => {
  const t = startQueue();
  const { jobId, worker, attemptId } = await startRunning(t, { maxSubtasks: 5, maxFailures: 2 });
  const [id = ""] = await submittedIds(say(t, worker, attemptId));
  const row = await jobRow(t, id);
  expect(row).toMatchObject({
    scope: "acme",
    kind: "part",
    requester: "ann",
    key: "k1",
    level: (await jobRow(t, jobId)).level,
    policy: { maxSubtasks: 0, maxFailures: 2 },
  });
  expect(row).not.toHaveProperty("context");
  expect(row).not.toHaveProperty("onFinal");
});

it("a subtask is kept from the workers that its parent is kept from", async () => {
  const t = startQueue();
  const barred = await addWorker(t);
  const worker = await addWorker(t);
  await submitJob(t, { policy: { maxSubtasks: 1 }, exceptWorkers: [barred.workerId] });
  const { attemptId } = await takeOne(t, worker);
  const [id = ""] = await submittedIds(say(t, worker, attemptId));
  expect(await jobRow(t, id)).toMatchObject({ exceptWorkers: [barred.workerId] });
});

it("another attempt at the job gets the subtasks of the first one", async () => {
  const t = startQueue();
  const { worker, attemptId } = await startRunning(t, { maxSubtasks: 3 });
  const first = await submittedIds(say(t, worker, attemptId, { jobs: [part, part] }));
  await fail(t, worker, attemptId, crash);
  await passTime(t, 60_000);
  const next = await takeOne(t, worker);
  const again = await submittedIds(say(t, worker, next.attemptId, { jobs: [part, part] }));
  const more = await submittedIds(say(t, worker, next.attemptId, { first: 2 }));
  expect(again).toEqual(first);
  expect(first).not.toContain(more[0]);
  expect(await jobCount(t)).toBe(4);
});

it("the subtasks of a job are bounded over all of its calls, and nobody may submit any by default", async () => {
  const t = startQueue();
  const { worker, attemptId } = await startRunning(t, { maxSubtasks: 2 });
  expect(await say(t, worker, attemptId, { first: 1, jobs: [part, part] })).toEqual({
    kind: "not-allowed",
    most: 2,
  });
  const other = startQueue();
  const none = await startRunning(other, {});
  expect(await say(other, none.worker, none.attemptId)).toEqual({ kind: "not-allowed", most: 0 });
  expect([await jobCount(t), await jobCount(other)]).toEqual([1, 1]);
});

it("only the worker with the current attempt submits subtasks", async () => {
  const t = startQueue();
  const { worker, attemptId } = await startRunning(t, { maxSubtasks: 2 });
  const other = await addWorker(t);
  expect(await say(t, other, attemptId)).toEqual({ kind: "fenced" });
  await fail(t, worker, attemptId, crash);
  expect(await say(t, worker, attemptId)).toEqual({ kind: "fenced" });
  expect(await jobCount(t)).toBe(1);
});

it("a subtask has no subtasks of its own", async () => {
  const t = startQueue();
  const { worker, attemptId } = await startRunning(t, { maxSubtasks: 2 });
  await submittedIds(say(t, worker, attemptId, { jobs: [{ ...part, kind: "hash" }] }));
  const second = await addWorker(t);
  const child = await takeOne(t, second);
  expect(await say(t, second, child.attemptId)).toEqual({ kind: "not-allowed", most: 0 });
});

it("a call has at most 100 subtasks, with whole numbers", async () => {
  const t = startQueue();
  const { worker, attemptId } = await startRunning(t, { maxSubtasks: 1_000 });
  const many = Array.from({ length: 101 }, () => part);
  expect(await refused(say(t, worker, attemptId, { jobs: many }))).toBe("invalid");
  expect(await refused(say(t, worker, attemptId, { first: -1 }))).toBe("invalid");
  expect(await submittedIds(say(t, worker, attemptId, { jobs: many.slice(1) }))).toHaveLength(100);
});
