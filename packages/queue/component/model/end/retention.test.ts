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
import { addWorker, complete, takeOne } from "../../testing/workers.fixture.ts";
import { maintenance } from "../references.ts";

const started = Date.parse("2026-11-21T08:00:00Z");
const dayMs = 24 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());

async function clean(t: Backend, at: number): Promise<void> {
  await passTime(t, at - Date.now());
  await t.mutation(maintenance.purge, {});
  await t.mutation(maintenance.forget, {});
  await passTime(t, 0);
}

async function rows(
  t: Backend,
  table: "jobs" | "payloads" | "results" | "attempts" | "chunks" | "dependencies",
) {
  return await t.run(async (ctx) => (await ctx.db.query(table).collect()).length);
}

describe("retention", () => {
  it("a job is kept as long as was set when it was submitted, and one of an earlier version as is set at its end", async () => {
    const t = startQueue();
    const [, earlier] = await submitJobs(t, [{}, {}]);
    // Earlier versions stored only the policy that the submission brought.
    await t.run(async (ctx) => {
      const id = ctx.db.normalizeId("jobs", String(earlier));
      if (id !== null) await ctx.db.patch("jobs", id, { policy: undefined });
    });
    const values = { policy: { payloadKeptMs: 1_000, recordKeptMs: 2_000 } };
    await t.mutation(queue.settings.configure, { scope, values });
    const worker = await addWorker(t);
    for (const _ of [1, 2]) await complete(t, worker, (await takeOne(t, worker)).attemptId);
    const kept = await t.run(async (ctx) =>
      (await ctx.db.query("jobs").collect()).map(({ purgeAt = 0, forgetAt = 0 }) => [
        purgeAt - started,
        forgetAt - started,
      ]),
    );
    expect(kept).toEqual([
      [dayMs, 90 * dayMs],
      [1_000, 2_000],
    ]);
  });

  it("jobs that are of use only together are kept from another time, if it is later and they are not deleted", async () => {
    const t = startQueue();
    const jobIds = await submitJobs(t, [{}, {}, {}]);
    const worker = await addWorker(t);
    for (const _ of [1, 2]) await complete(t, worker, (await takeOne(t, worker)).attemptId);
    const ended = (await Promise.all(jobIds.map(async (id) => await jobRow(t, id)))).filter(
      ({ finishedAt }) => finishedAt !== undefined,
    );
    const keep = async (ids: readonly string[], from: number, of = scope) =>
      await t.mutation(queue.jobs.keepFrom, { scope: of, jobIds: [...ids], from });
    const purges = async () =>
      (await Promise.all(jobIds.map(async (id) => await jobRow(t, id)))).map((job) => job.purgeAt);
    await keep(jobIds, started + 1_000, "other");
    await keep(jobIds, started - 1_000);
    expect((await purges()).toSorted()).toEqual([started + dayMs, started + dayMs, undefined]);
    await keep([ended[0]!._id], started + dayMs / 2);
    await clean(t, started + dayMs);
    expect(await rows(t, "payloads")).toBe(2);
    // One is deleted, and one has not ended.
    expect(await keep(jobIds, started + dayMs)).toEqual([ended[1]!._id]);
    expect(await keep(jobIds, started + dayMs, "other")).toEqual([]);
    await clean(t, started + 1.5 * dayMs);
    expect(await rows(t, "payloads")).toBe(2);
    await clean(t, started + 2 * dayMs);
    expect(await rows(t, "payloads")).toBe(1);
    await expect(
      keep(
        Array.from({ length: 101 }, () => jobIds[0]!),
        started,
      ),
    ).rejects.toThrow("at most 100");
  });

  it("everything is kept of a final job, then only the record, then nothing", async () => {
    const t = startQueue();
    const key = { idempotencyKey: "k", fingerprint: "f" };
    const jobId = await submitJob(t, { ...key, watched: true });
    const worker = await addWorker(t);
    const { attemptId } = await takeOne(t, worker);
    await t.mutation(queue.work.append, { keyHash: worker.keyHash, attemptId, seq: 0, text: "done" });
    await complete(t, worker, attemptId);

    await clean(t, started + dayMs - 60_000);
    expect(await t.query(queue.jobs.result, { scope, jobId })).toEqual({ result: "done" });
    await clean(t, started + dayMs);
    expect([await rows(t, "payloads"), await rows(t, "results"), await rows(t, "chunks")]).toEqual([0, 0, 0]);
    expect(await t.query(queue.jobs.result, { scope, jobId })).toBeNull();
    expect(await t.query(queue.jobs.watch, { scope, jobId })).toMatchObject({
      status: "succeeded",
      result: null,
    });
    expect((await jobRow(t, jobId)).fingerprint).toBeUndefined();
    // Its key still returns it, for any request.
    expect(await submitJobs(t, [{ ...key, fingerprint: "other" }])).toEqual([jobId]);

    await clean(t, started + 90 * dayMs - 60_000);
    expect(await t.query(queue.jobs.attempts, { scope, jobId })).toHaveLength(1);
    await clean(t, started + 90 * dayMs);
    expect(await t.query(queue.jobs.get, { scope, jobId })).toBeNull();
    expect([await rows(t, "jobs"), await rows(t, "attempts")]).toEqual([0, 0]);
    expect(await submitJobs(t, [key])).not.toEqual([jobId]);
  });

  it.each([
    ["a small result is kept with the attempt", "x".repeat(4_094), false, 0],
    ["a large result is kept in a row of its own", "x".repeat(4_095), false, 1],
    ["a small result of an earlier version is in a row of its own", "x", true, 1],
  ])("%s, and is deleted with the payload", async (_, result, isEarlier, inRows) => {
    const t = startQueue();
    const jobId = await submitJob(t);
    const worker = await addWorker(t);
    const { attemptId } = await takeOne(t, worker);
    const { keyHash } = worker;
    await t.mutation(queue.work.complete, { keyHash, attemptId, result, demand: { jobs: 0 } });
    if (isEarlier) {
      await t.run(async (ctx) => {
        const attempt = await ctx.db.query("attempts").unique();
        if (attempt === null) return;
        await ctx.db.patch("attempts", attempt._id, { result: undefined });
        await ctx.db.insert("results", { jobId: attempt.jobId, result });
      });
    }
    expect(await rows(t, "results")).toBe(inRows);
    expect(await t.query(queue.jobs.result, { scope, jobId })).toEqual({ result });
    expect(await t.query(queue.jobs.watch, { scope, jobId })).toMatchObject({ result });
    await clean(t, started + dayMs);
    expect(await t.query(queue.jobs.result, { scope, jobId })).toBeNull();
    const attempts = await t.run(async (ctx) => await ctx.db.query("attempts").collect());
    expect([attempts.map((attempt) => attempt.result), await rows(t, "results")]).toEqual([[undefined], 0]);
  });

  it("a result that is null is a result", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    const worker = await addWorker(t);
    const { attemptId } = await takeOne(t, worker);
    const { keyHash } = worker;
    await t.mutation(queue.work.complete, { keyHash, attemptId, result: null, demand: { jobs: 0 } });
    expect(await t.query(queue.jobs.result, { scope, jobId })).toEqual({ result: null });
  });

  it("retention follows the job's own policy, then the settings", async () => {
    const t = startQueue();
    await t.mutation(queue.settings.configure, {
      scope,
      values: { policy: { payloadKeptMs: 1_000, recordKeptMs: 2_000 } },
    });
    const [short, long] = await submitJobs(t, [
      {},
      { policy: { payloadKeptMs: 9_000, recordKeptMs: 5_000 } },
    ]);
    for (const jobId of [short!, long!]) await t.mutation(queue.jobs.cancel, { scope, jobId });
    await clean(t, started + 1_000);
    expect(await t.query(queue.jobs.payload, { scope, jobId: short! })).toBeNull();
    expect(await t.query(queue.jobs.payload, { scope, jobId: long! })).not.toBeNull();
    await clean(t, started + 5_000);
    expect([await rows(t, "jobs"), await rows(t, "payloads")]).toEqual([0, 0]);
  });

  it("large payloads are deleted in pieces", async () => {
    const t = startQueue();
    const payload = "x".repeat(500_000);
    const ids = await submitJobs(
      t,
      Array.from({ length: 12 }, () => ({ payload })),
    );
    for (const jobId of ids) await t.mutation(queue.jobs.cancel, { scope, jobId });
    await passTime(t, dayMs);
    await t.mutation(maintenance.purge, {});
    expect(await rows(t, "payloads")).toBe(3);
    await passTime(t, 0);
    expect(await rows(t, "payloads")).toBe(0);
  });

  it("final jobs are deleted in pieces, however many there are; open jobs stay", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 130 }, () => ({})),
    );
    const open = await submitJob(t, { requester: "ada", after: { jobs: [ids[0]!], when: "finished" } });
    await t.run(async (ctx) => {
      for (const id of ids) {
        await ctx.db.patch("jobs", id, { status: "failed", purgeAt: started + 1, forgetAt: started + 2 });
      }
    });
    await clean(t, started + 1);
    expect([await rows(t, "jobs"), await rows(t, "payloads")]).toEqual([131, 1]);
    await clean(t, started + 2);
    expect([await rows(t, "jobs"), await rows(t, "payloads")]).toEqual([1, 1]);
    expect((await jobRow(t, open)).requester).toBe("ada");
  });
});
