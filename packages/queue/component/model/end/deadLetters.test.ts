import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { statusesOf } from "../../testing/app.fixture.ts";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  refused,
  scope,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, complete, fail, takeOne } from "../../testing/workers.fixture.ts";

const started = Date.parse("2026-11-21T08:00:00Z");
const fatal = { code: "broken", message: "It is broken.", retryable: false };

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());

/** Fails every job that a worker can take. */
async function failAll(t: Backend, jobs: number): Promise<void> {
  const worker = await addWorker(t);
  for (let n = 0; n < jobs; n += 1) {
    const { attemptId } = await takeOne(t, worker);
    await fail(t, worker, attemptId, fatal);
  }
  await t.mutation(queue.work.goodbye, { keyHash: worker.keyHash });
}

async function list(t: Backend, kind?: string) {
  const which = { scope, paginationOpts: { numItems: 10, cursor: null } };
  return (await t.query(queue.deadLetters.list, { ...which, ...(kind === undefined ? {} : { kind }) })).page;
}

async function retry(t: Backend, jobId: string) {
  return await t.mutation(queue.deadLetters.retry, { scope, jobId, actor: "eve" });
}

describe("dead letters", () => {
  it("a dead letter is listed, newest first, whether it failed or expired", async () => {
    const t = startQueue();
    const failed = await submitJob(t);
    await failAll(t, 1);
    await passTime(t, 10);
    const expired = await submitJob(t, { kind: "resize", expiresAt: started + 50 });
    const ready = await submitJob(t);
    await passTime(t, 100);
    expect((await list(t)).map(({ jobId }) => jobId)).toEqual([expired, failed]);
    expect(await list(t, "hash")).toMatchObject([
      { jobId: failed, status: "failed", error: { code: "broken" } },
    ]);
    expect(await retry(t, ready)).toEqual({ kind: "not-dead" });
  });

  it.each([
    ["soon, so it has a timer", 30_000],
    ["later, so the run of each minute finds it", 600_000],
  ])("a retried job has the time limit of its new round, %s", async (_, ms) => {
    const t = startQueue();
    const jobId = await submitJob(t, { deadlineAt: started + 60_000 });
    await passTime(t, 60_000);
    const deadlineAt = Date.now() + ms;
    await t.mutation(queue.deadLetters.retry, { scope, jobId, deadlineAt });
    const expireOverdue = makeFunctionReference<"mutation">("maintenance:expireOverdue");
    await passTime(t, ms - 1);
    await t.mutation(expireOverdue, {});
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", round: 1 });
    await passTime(t, 1);
    await t.mutation(expireOverdue, {});
    await passTime(t, 10);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "expired", round: 1 });
  });

  it("a dead letter is retried with all its retries, and keeps its attempts", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { deadlineAt: started + 60_000 });
    await failAll(t, 1);
    expect(await retry(t, jobId)).toEqual({ kind: "ready" });
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({
      status: "ready",
      round: 1,
      failures: 0,
      attempts: 1,
      error: null,
      finishedAt: null,
    });
    // Its earlier time limit does not end it again.
    await passTime(t, 60_000);
    expect(await statusesOf(t, [jobId])).toEqual(["ready"]);
    const worker = await addWorker(t);
    await complete(t, worker, (await takeOne(t, worker)).attemptId);
    expect(
      (await t.query(queue.jobs.attempts, { scope, jobId })).map(({ number, status }) => [number, status]),
    ).toEqual([
      [1, "failed"],
      [2, "succeeded"],
    ]);
    expect(await retry(t, jobId)).toEqual({ kind: "not-dead" });
  });

  it("a dead letter is gone after its payload was deleted", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { idempotencyKey: "k", fingerprint: "f" });
    await failAll(t, 1);
    expect(await t.mutation(queue.deadLetters.discard, { scope, jobId, actor: "eve" })).toEqual({
      kind: "discarded",
    });
    expect(await retry(t, jobId)).toEqual({ kind: "gone" });
    expect(await list(t)).toEqual([]);
    expect(await t.query(queue.jobs.payload, { scope, jobId })).toBeNull();
    expect(await statusesOf(t, [jobId])).toEqual(["failed"]);
    expect((await jobRow(t, jobId)).fingerprint).toBeUndefined();
  });

  it("a dead letter waits for its turn if its requester is limited", async () => {
    const t = startQueue();
    const ids = await submitJobs(t, [{ requester: "ada" }, { requester: "ada" }]);
    await failAll(t, 2);
    await t.mutation(queue.limits.set, { scope, of: "requester", name: "ada", concurrency: 1 });
    await t.mutation(queue.deadLetters.retryAll, { scope });
    expect(await statusesOf(t, ids)).toEqual(["waiting for turn", "waiting for turn"]);
    await passTime(t, 0);
    expect((await statusesOf(t, ids)).sort()).toEqual(["ready", "waiting for turn"]);
  });

  describe("expired dead letters", () => {
    async function expiredAfter(t: Backend, more: { requester?: string } = {}) {
      const [on = ""] = await submitJobs(t, [{}]);
      const after = { jobs: [on], when: "succeeded" as const };
      const jobId = await submitJob(t, { kind: "late", after, expiresAt: started + 1_000, ...more });
      await passTime(t, 1_000);
      expect(await statusesOf(t, [on, jobId])).toEqual(["ready", "expired"]);
      return { on, jobId };
    }

    it("a dead letter that expired while it waited for another job waits for that job again, and then for its turn", async () => {
      const t = startQueue();
      const limit = { of: "requester" as const, name: "ada", concurrency: 0 };
      await t.mutation(queue.limits.set, { scope, ...limit });
      const { jobId } = await expiredAfter(t, { requester: "ada" });
      expect(await retry(t, jobId)).toEqual({ kind: "ready" });
      await passTime(t, 10);
      expect(await statusesOf(t, [jobId])).toEqual(["waiting for jobs"]);
      const worker = await addWorker(t);
      await complete(t, worker, (await takeOne(t, worker)).attemptId);
      await passTime(t, 10);
      expect(await statusesOf(t, [jobId])).toEqual(["waiting for turn"]);
      await t.mutation(queue.limits.set, { scope, ...limit, concurrency: 1 });
      expect(await statusesOf(t, [jobId])).toEqual(["ready"]);
    });

    it("a dead letter that expired while it waited for another job is canceled when that job fails", async () => {
      const t = startQueue();
      const { jobId } = await expiredAfter(t);
      await retry(t, jobId);
      await failAll(t, 1);
      await passTime(t, 10);
      expect(await jobRow(t, jobId)).toMatchObject({
        status: "canceled",
        error: { code: "dependency_failed" },
      });
    });

    it("a dead letter that expired while it waited for another job runs after that job, if it is retried", async () => {
      const t = startQueue();
      const { jobId } = await expiredAfter(t);
      const worker = await addWorker(t);
      await complete(t, worker, (await takeOne(t, worker)).attemptId);
      await passTime(t, 10);
      expect(await retry(t, jobId)).toEqual({ kind: "ready" });
      expect(await statusesOf(t, [jobId])).toEqual(["ready"]);
    });

    it("a dead letter that expired while it waited for another job is gone if that job failed meanwhile", async () => {
      const t = startQueue();
      const { jobId } = await expiredAfter(t);
      await failAll(t, 1);
      await passTime(t, 10);
      expect(await retry(t, jobId)).toEqual({ kind: "gone" });
      expect(await jobRow(t, jobId)).toMatchObject({
        status: "expired",
        error: { code: "dependency_failed" },
      });
    });
  });

  it("a dead letter can be retried after its lane was deleted", async () => {
    const t = startQueue();
    const jobId = await submitJob(t, { requirements: { tags: ["a"] } });
    await t.run(async (ctx) => {
      const { laneId } = (await ctx.db.get("jobs", jobId))!;
      await ctx.db.patch("jobs", jobId, { status: "failed", finishedAt: started, purgeAt: started + 9e6 });
      await ctx.db.delete("lanes", laneId);
    });
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({ requirements: { tags: ["a"] } });
    expect(await retry(t, jobId)).toEqual({ kind: "ready" });
    const worker = await addWorker(t, { tags: ["a"] });
    expect(await takeOne(t, worker)).toMatchObject({ jobId });
  });

  it("a dead letter is refused in another scope, and reported if it is not dead", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    expect(await t.mutation(queue.deadLetters.discard, { scope, jobId })).toEqual({ kind: "not-dead" });
    expect(await refused(t.mutation(queue.deadLetters.discard, { scope: "other", jobId }))).toBe("not_found");
    expect(await refused(t.mutation(queue.deadLetters.retry, { scope: "other", jobId }))).toBe("not_found");
  });
});

describe("deadLetters.retryAll", () => {
  it("retryAll retries all of a kind in pieces, each once", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 120 }, () => ({})),
    );
    const other = await submitJob(t, { kind: "resize" });
    const expired = await submitJob(t, { expiresAt: started });
    await passTime(t, 1);
    await t.run(async (ctx) => {
      for (const id of [...ids, other]) {
        await ctx.db.patch("jobs", id, { status: "failed", finishedAt: started, purgeAt: started + 9e6 });
      }
    });
    const outcome = await t.mutation(queue.deadLetters.retryAll, { scope, kind: "hash", actor: "eve" });
    expect(outcome).toMatchObject({ more: true });
    await passTime(t, 0);
    expect(new Set(await statusesOf(t, [...ids, expired]))).toEqual(new Set(["ready"]));
    expect(await statusesOf(t, [other])).toEqual(["failed"]);
    expect((await jobRow(t, ids[0]!)).round).toBe(1);
    const events = await t.query(queue.events.list, { scope, paginationOpts: { numItems: 5, cursor: null } });
    expect(events.page).toMatchObject([{ actor: "eve", action: "deadLetter.retryAll", subject: "hash" }]);
  });
});
