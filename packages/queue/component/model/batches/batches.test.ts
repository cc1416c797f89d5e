import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { end, note, refuseOnce, settle, startWithApp, statusesOf } from "../../testing/app.fixture.ts";
import { type Backend, passTime, queue, scope, submitJobs } from "../../testing/queue.fixture.ts";
import { forgetOld } from "../end/forget.ts";
import { defaultSettings } from "../settings.ts";

const started = new Date("2026-11-21T08:00:00Z");

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());

async function create(t: Backend, over: { externalId?: string; onDone?: string } = {}) {
  return await t.mutation(queue.batches.create, {
    scope,
    onDone: note,
    context: { file: "a.jsonl" },
    ...over,
  });
}

async function get(t: Backend, batchId: string) {
  return await t.query(queue.batches.get, { scope, batchId });
}

describe("batches", () => {
  it("a batch counts every outcome, and calls onDone once, when it is sealed and all its jobs are final", async () => {
    const called: unknown[] = [];
    const t = startWithApp(called);
    const batchId = await create(t);
    const [a, b] = await submitJobs(t, [{}, {}], { batchId });
    const [c, d] = await submitJobs(t, [{}, { expiresAt: Date.now() + 5_000 }], { batchId });
    await t.mutation(queue.batches.seal, { scope, batchId });
    await end(t, [a!], "succeed");
    await end(t, [b!], "fail");
    await end(t, [c!], "cancel");

    expect(await get(t, batchId)).toMatchObject({
      status: "sealed",
      total: 4,
      succeeded: 1,
      failed: 1,
      canceled: 1,
      expired: 0,
    });
    expect(await statusesOf(t, [d!])).toEqual(["ready"]);
    await settle(t);

    const done = await get(t, batchId);
    expect(done).toMatchObject({
      status: "done",
      total: 4,
      succeeded: 1,
      failed: 1,
      canceled: 1,
      expired: 1,
    });
    expect(done).toMatchObject({ context: { file: "a.jsonl" }, createdAt: started.getTime() });
    expect(called).toEqual([done]);
    expect(await t.run(async (ctx) => await ctx.db.query("batchEnds").collect())).toEqual([]);
  });

  it("a batch looks for more ends a few times before its count stops, so that two ends seldom conflict", async () => {
    const t = startWithApp([]);
    const batchId = await create(t);
    const [a, b, c] = await submitJobs(t, [{}, {}, {}], { batchId });
    const fold = async () => await t.run(async (ctx) => await ctx.db.query("batchFolds").first());
    const counted = async () =>
      (await t.run(async (ctx) => await ctx.db.query("batches").first()))?.succeeded;
    await end(t, [a!], "succeed");
    await passTime(t, 2_500);
    expect(await counted()).toBe(1);
    await passTime(t, 2_500);
    expect(await fold()).toMatchObject({ armed: true });
    await end(t, [b!], "succeed");
    await passTime(t, 3_000);
    expect(await counted()).toBe(2);

    await passTime(t, 10_000);
    expect(await fold()).toMatchObject({ armed: false });
    await end(t, [c!], "succeed");
    await passTime(t, 2_500);
    expect(await counted()).toBe(3);
  });

  it("a batch is not done before it is sealed, even if all its jobs are final", async () => {
    const called: unknown[] = [];
    const t = startWithApp(called);
    const batchId = await create(t);
    const jobs = await submitJobs(t, [{}, {}], { batchId });
    await end(t, jobs, "succeed");
    await settle(t);
    expect(await get(t, batchId)).toMatchObject({ status: "open", succeeded: 2 });
    expect(called).toEqual([]);

    await t.mutation(queue.batches.seal, { scope, batchId });
    expect(await get(t, batchId)).toMatchObject({ status: "done", succeeded: 2 });
    await t.mutation(queue.batches.seal, { scope, batchId });
    expect(called).toHaveLength(1);
  });

  it("a batch is done at once when it is sealed without jobs", async () => {
    const called: unknown[] = [];
    const t = startWithApp(called);
    const batchId = await create(t);
    await t.mutation(queue.batches.seal, { scope, batchId });
    expect(await get(t, batchId)).toMatchObject({ status: "done", total: 0 });
    expect(called).toHaveLength(1);
  });

  it("a batch counts only the first end of a retried dead letter", async () => {
    const called: unknown[] = [];
    const t = startWithApp(called);
    const batchId = await create(t);
    const [dead, other] = await submitJobs(t, [{}, {}], { batchId });
    await t.mutation(queue.batches.seal, { scope, batchId });
    await end(t, [dead!], "fail");
    await t.mutation(queue.deadLetters.retry, { scope, jobId: dead! });
    await end(t, [dead!], "succeed");
    await settle(t);
    expect(await get(t, batchId)).toMatchObject({ status: "sealed", failed: 1, succeeded: 0 });

    await end(t, [other!], "succeed");
    await settle(t);
    expect(await get(t, batchId)).toMatchObject({ status: "done", failed: 1, succeeded: 1 });
    expect(called).toHaveLength(1);
  });

  it.each(["when it was empty", "after its jobs"])(
    "a batch calls its onDone again if that threw, %s",
    async (when) => {
      const called: unknown[] = [];
      const t = startWithApp(called);
      const complaint = vi.spyOn(console, "error").mockReturnValue();
      const batchId = await create(t, { onDone: refuseOnce });
      const jobs = when === "after its jobs" ? await submitJobs(t, [{}], { batchId }) : [];
      await t.mutation(queue.batches.seal, { scope, batchId });
      await end(t, jobs, "succeed");
      await settle(t);
      expect(await get(t, batchId)).toMatchObject({ status: "done", succeeded: jobs.length });
      expect(called).toHaveLength(1);
      expect(complaint).toHaveBeenCalledWith(expect.stringContaining(batchId), expect.any(Error));
    },
  );

  it("a batch cancels its open jobs, and is done", async () => {
    const called: unknown[] = [];
    const t = startWithApp(called);
    const batchId = await create(t);
    const jobs = await submitJobs(
      t,
      [...Array(120).keys()].map(() => ({})),
      { batchId },
    );
    const [outside] = await submitJobs(t, [{}]);
    await end(t, jobs.slice(0, 3), "succeed");
    await t.mutation(queue.batches.cancel, { scope, batchId });
    await settle(t);
    expect(await get(t, batchId)).toMatchObject({ status: "done", succeeded: 3, canceled: 117 });
    expect(await statusesOf(t, [outside!])).toEqual(["ready"]);
    expect(called).toHaveLength(1);
  });

  it("a batch takes no jobs after it is sealed, and never more than 50,000", async () => {
    const t = startWithApp([]);
    const sealed = await create(t);
    await t.mutation(queue.batches.seal, { scope, batchId: sealed });
    await expect(submitJobs(t, [{}], { batchId: sealed })).rejects.toThrow("takes no more jobs");

    const full = await create(t);
    await submitJobs(t, [{}], { batchId: full });
    await t.run(async (ctx) => {
      const id = ctx.db.normalizeId("batches", full);
      if (id !== null) await ctx.db.patch("batches", id, { total: 49_999 });
    });
    await submitJobs(t, [{}], { batchId: full });
    await expect(submitJobs(t, [{}], { batchId: full })).rejects.toThrow("50001");

    await t.mutation(queue.settings.configure, { scope, values: { maxBatchJobs: 2 } });
    const few = await create(t);
    await expect(submitJobs(t, [{}, {}, {}], { batchId: few })).rejects.toThrow("at most 2 jobs");
  });

  it("a batch counts a job with a repeated idempotency key once", async () => {
    const t = startWithApp([]);
    const batchId = await create(t);
    await submitJobs(t, [{ idempotencyKey: "line 1" }], { batchId });
    await submitJobs(t, [{ idempotencyKey: "line 1" }, { idempotencyKey: "line 2" }], { batchId });
    expect(await get(t, batchId)).toMatchObject({ total: 2 });
  });

  it("a batch is found by its external id in its own scope, is created once for it, and is listed newest first", async () => {
    const t = startWithApp([]);
    const first = await create(t, { externalId: "upload-1" });
    expect(await create(t, { externalId: "upload-1" })).toBe(first);
    vi.advanceTimersByTime(1_000);
    const second = await create(t);

    const found = await t.query(queue.batches.byExternalId, { scope, externalId: "upload-1" });
    expect(found).toMatchObject({ batchId: first, externalId: "upload-1" });
    expect(await t.query(queue.batches.byExternalId, { scope: "b", externalId: "upload-1" })).toBeNull();
    expect(await t.query(queue.batches.get, { scope: "b", batchId: first })).toBeNull();
    await expect(t.mutation(queue.batches.seal, { scope: "b", batchId: first })).rejects.toThrow("not_found");

    const page = await t.query(queue.batches.list, { scope, paginationOpts: { numItems: 9, cursor: null } });
    expect(page.page.map(({ batchId }) => batchId)).toEqual([second, first]);
  });

  it("a batch is deleted after the time for records, unless it is not done", async () => {
    const t = startWithApp([]);
    const done = await create(t);
    await submitJobs(t, [{}], { batchId: done }).then((jobs) => end(t, jobs, "succeed"));
    await t.mutation(queue.batches.seal, { scope, batchId: done });
    const open = await create(t);
    await settle(t);
    const { recordKeptMs } = defaultSettings.policy;
    const forget = async (now: number) => await t.run(async (ctx) => await forgetOld(ctx, now));
    await forget(Date.now() + recordKeptMs - 60_000);
    expect(await get(t, done)).toMatchObject({ status: "done" });
    expect(await forget(Date.now() + recordKeptMs + 60_000)).toBe(false);
    expect(await get(t, done)).toBeNull();
    expect(await get(t, open)).toMatchObject({ status: "open" });
    expect(await t.run(async (ctx) => await ctx.db.query("batchFolds").collect())).toEqual([]);
  });

  it("a batch finishes 2,000 jobs with far fewer counts", async () => {
    const called: unknown[] = [];
    const t = startWithApp(called);
    const batchId = await create(t);
    const jobs = [];
    for (let piece = 0; piece < 4; piece += 1) {
      jobs.push(
        ...(await submitJobs(
          t,
          Array.from({ length: 500 }, () => ({})),
          { batchId },
        )),
      );
    }
    await t.mutation(queue.batches.seal, { scope, batchId });
    for (let from = 0; from < jobs.length; from += 100) {
      const piece = jobs.slice(from, from + 100);
      await end(t, piece.slice(0, 90), "succeed");
      await end(t, piece.slice(90), "fail");
      vi.advanceTimersByTime(300);
      await t.finishInProgressScheduledFunctions();
    }
    await settle(t);
    expect(await get(t, batchId)).toMatchObject({
      status: "done",
      total: 2_000,
      succeeded: 1_800,
      failed: 200,
    });
    expect(called).toHaveLength(1);
    const scheduled = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
    expect(scheduled.filter(({ name }) => name.includes("foldBatch")).length).toBeLessThan(20);
  });
});
