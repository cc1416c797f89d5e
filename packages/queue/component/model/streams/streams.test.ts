import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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
import {
  addWorker,
  complete,
  crash,
  expectRefusal,
  fail,
  takeOne,
  type TestWorker,
} from "../../testing/workers.fixture.ts";
import type { Id } from "../builders.ts";

const watchMs = 120_000;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime("2026-11-21T08:00:00Z");
});
afterEach(() => vi.useRealTimers());

async function append(t: Backend, { keyHash }: TestWorker, attemptId: string, seq: number, text: string) {
  return await t.mutation(queue.work.append, { keyHash, attemptId, seq, text });
}

async function watch(t: Backend, jobId: string, after?: { attemptId: string; seq: number }) {
  return await t.query(queue.jobs.watch, { scope, jobId, ...(after && { after }) });
}

async function textOf(t: Backend, jobId: string): Promise<string> {
  return (await watch(t, jobId)).chunks.map(({ text }) => text).join("");
}

async function chunkRows(t: Backend): Promise<number> {
  return await t.run(async (ctx) => (await ctx.db.query("chunks").collect()).length);
}

async function startRunning(t: Backend, watched: boolean) {
  const jobId = await submitJob(t, { watched });
  const worker = await addWorker(t);
  const { attemptId } = await takeOne(t, worker);
  return { jobId, worker, attemptId };
}

async function follow(t: Backend, jobId: string, of = scope) {
  return await t.mutation(queue.jobs.follow, { scope: of, jobId });
}

describe("the curve of a streamed text", () => {
  const curve = async (t: Backend, jobId: string, of = scope) =>
    await t.query(queue.jobs.streamCurve, { scope: of, jobId });

  it("has the bytes of the text by time, and nobody else's", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    expect(await curve(t, jobId)).toBeNull();
    const startedAt = Date.now();
    await append(t, worker, attemptId, 0, "Zürich ");
    vi.setSystemTime(startedAt + 1_000);
    await append(t, worker, attemptId, 1, "lies ");
    const found = await curve(t, jobId);
    expect(found!.attempt).toBe(1);
    expect(found!.points.map(({ bytes }) => bytes)).toEqual([8, 13]);
    expect(found!.points[1]!.at - found!.points[0]!.at).toBeGreaterThanOrEqual(999);
    expect(await curve(t, jobId, "another")).toBeNull();
  });

  it("has few points of a long text, and its end", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    for (let seq = 0; seq < 130; seq += 1) await append(t, worker, attemptId, seq, "a");
    const { points } = (await curve(t, jobId))!;
    expect(points.length).toBeLessThanOrEqual(41);
    expect(points.map(({ bytes }) => bytes)).toEqual(
      [...points.map(({ bytes }) => bytes)].sort((a, b) => a - b),
    );
    expect(points.at(-1)!.bytes).toBe(130);
  });
});

describe("watched jobs", () => {
  it("the text of a watched job comes in chunks, after the reader's position", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    expect(await append(t, worker, attemptId, 0, "It ")).toEqual({ kind: "ok" });
    await append(t, worker, attemptId, 1, "was ");
    expect(await watch(t, jobId, { attemptId, seq: 0 })).toEqual({
      status: "running",
      submittedAt: Date.now(),
      startedAt: Date.now(),
      attempt: 1,
      attemptId,
      chunks: [{ seq: 1, text: "was " }],
      attempts: 1,
      error: null,
    });
    expect((await watch(t, jobId, { attemptId: "another", seq: 0 })).chunks).toHaveLength(2);
  });

  it("the text of a watched job takes each chunk once, and none before the last", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    await append(t, worker, attemptId, 0, "a");
    await append(t, worker, attemptId, 1, "b");
    await append(t, worker, attemptId, 1, "b");
    await append(t, worker, attemptId, 0, "a");
    expect(await textOf(t, jobId)).toBe("ab");
  });

  it("the text of a watched job has no hole after a chunk that was refused", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    await append(t, worker, attemptId, 0, "a");
    await expectRefusal(append(t, worker, attemptId, 1, "b".repeat(65 * 1024)), "too_large");
    await append(t, worker, attemptId, 2, "c");
    expect(await textOf(t, jobId)).toBe("a");
  });

  it("the text of a watched job does not begin behind a first chunk that was refused", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    await append(t, worker, attemptId, 1, "b");
    expect(await textOf(t, jobId)).toBe("");
    const { keyHash } = worker;
    await t.mutation(queue.work.append, { keyHash, attemptId, seq: 2, text: "ab", isFirst: true });
    expect(await textOf(t, jobId)).toBe("ab");
  });

  it("the text of a watched job starts again with the next attempt", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    await append(t, worker, attemptId, 0, "half of");
    await fail(t, worker, attemptId, crash);
    expect(await watch(t, jobId)).toMatchObject({ attempt: 0, attemptId: null, chunks: [], attempts: 1 });
    await passTime(t, 60_000);
    const next = await takeOne(t, worker);
    await append(t, worker, next.attemptId, 0, "all of it");
    expect(await watch(t, jobId, { attemptId, seq: 0 })).toMatchObject({
      attempt: 2,
      attemptId: next.attemptId,
      chunks: [{ seq: 0, text: "all of it" }],
    });
    expect(await append(t, worker, attemptId, 1, "late")).toEqual({ kind: "fenced" });
  });

  it("the text of a watched job is limited for each chunk and each attempt", async () => {
    const t = startQueue();
    const { worker, attemptId } = await startRunning(t, true);
    const full = "x".repeat(64 * 1024);
    expect(await refused(append(t, worker, attemptId, 0, `${full}x`))).toBe("too_large");
    expect(await refused(append(t, worker, attemptId, -1, "x"))).toBe("invalid");
    expect(await refused(append(t, worker, attemptId, 40_000, "x"))).toBe("invalid");
    expect(await refused(append(t, worker, attemptId, 0, "\udc00"))).toBe("invalid");
    for (let seq = 0; seq < 32; seq += 1) await append(t, worker, attemptId, seq, full);
    expect(await refused(append(t, worker, attemptId, 32, "x"))).toBe("too_large");

    const values = { maxChunkBytes: 70 * 1024, maxTextBytes: 4 * 1024 * 1024 };
    await t.mutation(queue.settings.configure, { scope, values });
    expect(await append(t, worker, attemptId, 32, `${full}x`)).toEqual({ kind: "ok" });
  });

  it("the data beside the text of a watched job comes with it, and counts for the limits", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    const { keyHash } = worker;
    const data = [{ token: "a" }, "é"];
    await t.mutation(queue.work.append, { keyHash, attemptId, seq: 0, text: "a", data });
    await append(t, worker, attemptId, 1, "b");
    expect((await watch(t, jobId)).chunks).toEqual([
      { seq: 0, text: "a", data },
      { seq: 1, text: "b" },
    ]);
    const item = "x".repeat(60 * 1024);
    const large = async (seq: number, text: string) =>
      await t.mutation(queue.work.append, { keyHash, attemptId, seq, text, data: [item] });
    expect(await refused(large(2, "x".repeat(5 * 1024)))).toBe("too_large");
    for (let seq = 2; seq < 10; seq += 1) await large(seq, "");
    expect((await watch(t, jobId, { attemptId, seq: 1 })).chunks).toHaveLength(5);
    for (let seq = 10; seq < 36; seq += 1) await large(seq, "");
    expect(await refused(large(36, ""))).toBe("too_large");
  });

  it("the text of a watched job comes to a reader far behind in several answers", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    const text = "x".repeat(60 * 1024);
    for (let seq = 0; seq < 8; seq += 1) await append(t, worker, attemptId, seq, text);
    const { chunks } = await watch(t, jobId);
    expect(chunks).toHaveLength(5);
    expect((await watch(t, jobId, { attemptId, seq: 4 })).chunks).toHaveLength(3);
  });

  it("the text of a watched job is deleted some time after the end; the result is there at once", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    await append(t, worker, attemptId, 0, "done");
    await complete(t, worker, attemptId);
    expect(await watch(t, jobId)).toMatchObject({
      status: "succeeded",
      result: "done",
      chunks: [{ seq: 0 }],
    });
    await passTime(t, 599_000);
    expect(await chunkRows(t)).toBe(1);
    await passTime(t, 1_000);
    expect(await chunkRows(t)).toBe(0);
    expect(await watch(t, jobId)).toMatchObject({ status: "succeeded", result: "done", chunks: [] });
  });
});

describe("unwatched jobs", () => {
  it("a job without a reader keeps no text", async () => {
    const t = startQueue();
    const { worker, attemptId } = await startRunning(t, false);
    expect(await append(t, worker, attemptId, 0, "unread")).toEqual({ kind: "ok" });
    expect(await chunkRows(t)).toBe(0);
  });

  it("a job without a reader is watched from its start once somebody follows it, which its worker sees", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, false);
    await append(t, worker, attemptId, 0, "early ");
    const held = async () => await t.query(queue.work.held, { keyHash: worker.keyHash });
    expect(await held()).toMatchObject([{ attemptId, watched: false }]);
    expect(await follow(t, jobId)).toEqual({ kind: "following" });
    expect(await held()).toMatchObject([{ attemptId, watched: true }]);
    await append(t, worker, attemptId, 0, "early and late");
    expect(await textOf(t, jobId)).toBe("early and late");
  });

  it("a job without a reader is no longer watched after a long pause, and its text is deleted", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, false);
    await follow(t, jobId);
    await append(t, worker, attemptId, 0, "read");
    for (const wait of [100_000, watchMs - 1]) {
      await keepAlive(t, worker, wait);
      expect((await jobRow(t, jobId)).watched).toBe(true);
      if (wait === 100_000) await follow(t, jobId);
    }
    await keepAlive(t, worker, 10);
    expect((await jobRow(t, jobId)).watched).toBe(false);
    expect(await chunkRows(t)).toBe(0);
    // And from the start again for the next reader.
    await follow(t, jobId);
    await append(t, worker, attemptId, 0, "read again");
    expect(await textOf(t, jobId)).toBe("read again");
    await keepAlive(t, worker, watchMs + 10);
    expect((await jobRow(t, jobId)).watched).toBe(false);
  });

  it("a job without a reader is watched for a while after its submission if that asks for it", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, true);
    await append(t, worker, attemptId, 0, "read");
    await keepAlive(t, worker, 80_000);
    await follow(t, jobId);
    await keepAlive(t, worker, 60_000);
    expect(await textOf(t, jobId)).toBe("read");
    await keepAlive(t, worker, 70_000);
    expect((await jobRow(t, jobId)).watched).toBe(false);
    expect(await chunkRows(t)).toBe(0);
  });

  it("a job without a reader is watched once earlier text is deleted, however much that was, without another call", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, false);
    await t.run(async (ctx) => {
      const chunk = { jobId, attemptId: attemptId as Id<"attempts">, text: "old", endBytes: 0 };
      for (let seq = 0; seq < 1_200; seq += 1) await ctx.db.insert("chunks", { ...chunk, seq });
    });
    expect(await follow(t, jobId)).toEqual({ kind: "following" });
    expect(await jobRow(t, jobId)).toMatchObject({ watched: false });
    await passTime(t, 0);
    expect(await jobRow(t, jobId)).toMatchObject({ watched: true });
    await append(t, worker, attemptId, 0, "new");
    expect(await textOf(t, jobId)).toBe("new");
    // Its watch time ends like any other.
    await passTime(t, watchMs + 1);
    expect(await jobRow(t, jobId)).toMatchObject({ watched: false });
    expect(await chunkRows(t)).toBe(0);
  });

  it("the watch time of many jobs that were submitted at once ends", async () => {
    const t = startQueue();
    const ids = await submitJobs(
      t,
      Array.from({ length: 50 }, () => ({ watched: true })),
    );
    await passTime(t, 100_000);
    await follow(t, ids[0]!);
    await passTime(t, 30_000);
    const watched = await Promise.all(ids.map(async (id) => (await jobRow(t, id)).watched));
    expect(watched).toEqual(ids.map((_, index) => index === 0));
  });

  it("a job without a reader is written once in a third of the watch time, however often it is followed", async () => {
    const t = startQueue();
    const { jobId, worker } = await startRunning(t, false);
    const terms = new Set<number | undefined>();
    for (let second = 0; second < 120; second += 5) {
      await follow(t, jobId);
      terms.add((await jobRow(t, jobId)).watchedUntil);
      await keepAlive(t, worker, 5_000);
    }
    expect(terms.size).toBe(3);
    const timers = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
    const waiting = timers.filter(
      ({ name, state }) => name.endsWith("endWatching") && state.kind === "pending",
    );
    expect(waiting).toHaveLength(1);
  });

  it("a job can't be followed after its end, or from another scope", async () => {
    const t = startQueue();
    const { jobId, worker, attemptId } = await startRunning(t, false);
    expect(await follow(t, jobId, "other")).toEqual({ kind: "not-found" });
    expect(await refused(t.query(queue.jobs.watch, { scope: "other", jobId }))).toBe("not_found");
    await complete(t, worker, attemptId);
    expect(await follow(t, jobId)).toEqual({ kind: "final" });
  });
});

/** Lets time pass while the worker renews its lease. */
async function keepAlive(t: Backend, { keyHash }: TestWorker, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10_000) {
    await t.mutation(queue.work.heartbeat, { keyHash });
    await passTime(t, Math.min(left, 10_000));
  }
}
