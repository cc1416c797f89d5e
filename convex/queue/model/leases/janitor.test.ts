import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeFunctionReference } from "convex/server";
import { defaultSettings } from "../settings.ts";
import { present } from "../refuse.ts";
import { jobRow, passTime, queue, startQueue, submitJob, type Backend } from "../../testing/queue.fixture.ts";
import {
  addWorker,
  complete,
  heldBy,
  shownTo,
  standsOf,
  take,
  takeOne,
  type TestWorker,
} from "../../testing/workers.fixture.ts";

const { leaseMs, offlineAfterMs, policy } = defaultSettings;
const checkLease = makeFunctionReference<"mutation">("maintenance:checkLease");

let t: Backend;
let worker: TestWorker;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
  worker = await addWorker(t);
});
afterEach(() => {
  vi.useRealTimers();
});

const status = async (jobId: string) => (await jobRow(t, jobId)).status;
const heartbeat = async () => await t.mutation(queue.workers.heartbeat, { keyHash: worker.keyHash });

async function lease() {
  const row = await t.run(
    async (ctx) =>
      await ctx.db
        .query("leases")
        .withIndex("by_key", (q) => q.eq("keyHash", worker.keyHash))
        .unique(),
  );
  return present(row, "lease");
}

async function pendingLooks(): Promise<number> {
  return await t.run(async (ctx) => {
    const scheduled = await ctx.db.system.query("_scheduled_functions").collect();
    return scheduled.filter(({ name, state }) => name.includes("checkLease") && state.kind === "pending")
      .length;
  });
}

describe("the janitor", () => {
  it("takes the jobs of a silent worker when its lease runs out, not before", async () => {
    const jobId = await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    await passTime(t, leaseMs - 2);
    expect(await status(jobId)).toBe("running");
    await passTime(t, 2);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 1 });
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "fenced" });
    expect((await lease()).armed).toBe(false);
    expect(await t.query(queue.jobs.attempts, { scope: "acme", jobId })).toMatchObject([
      { status: "lost", attemptId },
    ]);
  });

  it("counts on the silent worker no more: its jobs wake those that wait, and no job wakes it", async () => {
    const other = await addWorker(t, { concurrency: 2 });
    const many = await addWorker(t, { concurrency: 2 });
    const lost = await submitJob(t);
    await take(t, many, { jobs: 2 });
    await take(t, other);
    expect(await standsOf(t, many)).toHaveLength(1);
    for (let ms = 0; ms < leaseMs; ms += 10_000) {
      await passTime(t, 10_000);
      await t.mutation(queue.workers.heartbeat, { keyHash: other.keyHash });
    }
    await passTime(t, 5_000);
    expect(await status(lost)).toBe("ready");
    expect(await standsOf(t, many)).toEqual([]);
    expect(await shownTo(t, other)).toMatchObject([{ jobId: lost, late: false }]);
  });

  it("looks again at the new deadline when the lease was extended", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    await passTime(t, 20_000);
    await heartbeat();
    await passTime(t, leaseMs - 20_000 + 10);
    expect(await status(jobId)).toBe("running");
    expect((await lease()).armed).toBe(true);
    expect(await pendingLooks()).toBe(1);
    await passTime(t, 19_000);
    expect(await status(jobId)).toBe("running");
    await passTime(t, 1_000);
    expect(await status(jobId)).toBe("ready");
  });

  it("keeps the jobs of a worker that says something every 15 s, for an hour", async () => {
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    for (let elapsed = 0; elapsed < 3_600_000; elapsed += 15_000) {
      await passTime(t, 15_000);
      await heartbeat();
    }
    expect(await pendingLooks()).toBe(1);
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "completed" });
  });

  it("is armed once however many jobs are held, and rests when none is", async () => {
    const able = await addWorker(t, { concurrency: 3 });
    for (let i = 0; i < 3; i += 1) await submitJob(t);
    const held = [];
    for (let i = 0; i < 3; i += 1) held.push(await takeOne(t, able));
    expect(await pendingLooks()).toBe(1);
    for (const { attemptId } of held) await complete(t, able, attemptId);
    await passTime(t, leaseMs);
    expect(await pendingLooks()).toBe(0);
    await submitJob(t);
    await takeOne(t, able);
    expect(await pendingLooks()).toBe(1);
  });

  it("makes a dead letter of a job that was lost as often as it may be", async () => {
    const jobId = await submitJob(t);
    for (let i = 0; i < policy.maxFailures; i += 1) {
      expect(await status(jobId)).toBe("ready");
      await takeOne(t, worker);
      await passTime(t, leaseMs);
    }
    expect(await jobRow(t, jobId)).toMatchObject({ status: "failed", error: { code: "worker_lost" } });
  });

  it("gives one more lease when the backend itself was away at the deadline", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    const { expiresAt, workerId } = await lease();
    vi.setSystemTime(expiresAt + 3_600_000);
    await t.mutation(checkLease, { workerId, deadline: expiresAt, graced: false });
    expect(await status(jobId)).toBe("running");
    await t.mutation(checkLease, { workerId, deadline: Date.now() + leaseMs, graced: true });
    expect(await status(jobId)).toBe("ready");
  });

  it("writes no lease for a worker that calls often", async () => {
    await submitJob(t);
    await takeOne(t, worker);
    const before = await lease();
    await passTime(t, 10_000);
    await heartbeat();
    expect(await lease()).toEqual(before);
  });

  it("goes by the lease that is set, from the next hello on", async () => {
    await t.mutation(queue.settings.configure, { scope: "acme", values: { leaseMs: 15_000 } });
    const { keyHash } = worker;
    const said = await t.mutation(queue.workers.hello, {
      keyHash,
      capabilities: { kinds: ["hash"] },
      startup: false,
    });
    expect(said.leaseMs).toBe(15_000);
    const jobId = await submitJob(t);
    vi.setSystemTime(Date.now() + 60_000);
    await takeOne(t, worker);
    await passTime(t, 15_000);
    expect(await status(jobId)).toBe("ready");
  });
});

describe("presence", () => {
  const online = async () => {
    const { workerId } = worker;
    return (await t.query(queue.workers.get, { scope: "acme", workerId }))?.online;
  };

  it("ends when nothing was heard for long, with its waiting, and comes back with the next call", async () => {
    await take(t, worker);
    expect(await online()).toBe(true);
    await passTime(t, offlineAfterMs);
    expect(await online()).toBe(false);
    expect(await standsOf(t, worker)).toEqual([]);
    await heartbeat();
    expect(await online()).toBe(true);
    await passTime(t, offlineAfterMs);
    expect(await online()).toBe(false);
  });

  it("lasts while it says something once a minute", async () => {
    await take(t, worker);
    for (let i = 0; i < 10; i += 1) {
      await passTime(t, 60_000);
      expect(await online()).toBe(true);
      await heartbeat();
    }
    expect(await standsOf(t, worker)).toHaveLength(1);
    expect(await heldBy(t, worker)).toEqual([]);
  });
});
