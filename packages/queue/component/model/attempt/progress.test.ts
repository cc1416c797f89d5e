import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Backend,
  passTime,
  queue,
  refused,
  scope,
  startQueue,
  submitJob,
} from "../../testing/queue.fixture.ts";
import { addWorker, complete, crash, fail, takeOne, type TestWorker } from "../../testing/workers.fixture.ts";
import { maintenance } from "../references.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime("2026-11-21T08:00:00Z");
});
afterEach(() => vi.useRealTimers());

async function startRunning(t: Backend) {
  const jobId = await submitJob(t, { externalId: "file 7" });
  const worker = await addWorker(t);
  const { attemptId } = await takeOne(t, worker);
  return { jobId, worker, attemptId };
}

const say = (t: Backend, { keyHash }: TestWorker, attemptId: string, view: string | number) =>
  t.mutation(queue.work.progress, { keyHash, attemptId, view });

const progressOf = async (t: Backend, jobId: string) =>
  (await t.query(queue.jobs.get, { scope, jobId }))?.progress;

const rows = (t: Backend) => t.run(async (ctx) => await ctx.db.query("progress").collect());

describe("progress", () => {
  it("the progress of a job is shown by job id and external id, as last reported, and not in lists", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t);
    expect(await progressOf(t, jobId)).toBeUndefined();
    expect(await say(t, worker, attemptId, 0.2)).toEqual({ kind: "ok" });
    await say(t, worker, attemptId, 0.4);
    expect(await progressOf(t, jobId)).toBe(0.4);
    const byExternalId = await t.query(queue.jobs.byExternalId, { scope, externalId: "file 7" });
    expect(byExternalId).toMatchObject({ jobId, progress: 0.4 });
    expect(await rows(t)).toHaveLength(1);
    const all = { scope, paginationOpts: { numItems: 1, cursor: null } };
    expect((await t.query(queue.jobs.list, all)).page[0]).not.toHaveProperty("progress");
  });

  it("the progress of a job is reported by the current worker only, and restarts with the next attempt", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t);
    const other = await addWorker(t);
    expect(await say(t, other, attemptId, 1)).toEqual({ kind: "fenced" });
    await say(t, worker, attemptId, 0.9);
    await fail(t, worker, attemptId, crash);
    expect(await progressOf(t, jobId)).toBeUndefined();
    expect(await say(t, worker, attemptId, 1)).toEqual({ kind: "fenced" });
    await passTime(t, 60_000);
    const next = await takeOne(t, worker);
    expect(await progressOf(t, jobId)).toBeUndefined();
    await say(t, worker, next.attemptId, 0.1);
    expect(await progressOf(t, jobId)).toBe(0.1);
  });

  it("the progress of a job must be small, and renews the worker's lease", async () => {
    const t = startQueue();
    const { worker, attemptId } = await startRunning(t);
    expect(await refused(say(t, worker, attemptId, "x".repeat(4_096)))).toBe("too_large");
    for (let minute = 0; minute < 4; minute += 1) {
      await passTime(t, 30_000);
      expect(await say(t, worker, attemptId, minute)).toEqual({ kind: "ok" });
    }
  });

  it("the progress of a job is hidden after the job's end, and deleted with the payload", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t);
    await say(t, worker, attemptId, 0.5);
    await complete(t, worker, attemptId);
    expect(await progressOf(t, jobId)).toBeUndefined();
    await passTime(t, 25 * 3_600_000);
    await t.mutation(maintenance.purge, {});
    expect(await rows(t)).toEqual([]);
  });
});
