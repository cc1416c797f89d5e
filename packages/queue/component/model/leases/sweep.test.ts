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
import {
  addWorker,
  complete,
  heldBy,
  shownTo,
  take,
  takeOne,
  type TestWorker,
  waitingPositions,
} from "../../testing/workers.fixture.ts";
import type { Doc, Id } from "../builders.ts";
import { counts } from "../counts/references.ts";
import { maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { defaultSettings } from "../settings.ts";

const { leaseMs, offlineAfterMs, policy } = defaultSettings;
/** The longest time from a worker's last sign until its job is ready again. */
const noticedWithinMs = 45_000;

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
const heartbeat = async ({ keyHash } = worker) => await t.mutation(queue.work.heartbeat, { keyHash });

async function leaseOf({ workerId } = worker): Promise<Doc<"leases">> {
  const all = await t.run(async (ctx) => await ctx.db.query("leases").collect());
  return present(
    all.find((lease) => lease.workerId === workerId),
    "lease",
  );
}

async function nextSweep(of = scope): Promise<number | null> {
  const all = await t.run(async (ctx) => await ctx.db.query("sweeps").collect());
  return present(
    all.find((row) => row.scope === of),
    "sweep",
  ).nextAt;
}

async function pending(name: string): Promise<number> {
  return await t.run(async (ctx) => {
    const scheduled = await ctx.db.system.query("_scheduled_functions").collect();
    return scheduled.filter((one) => one.name.includes(name) && one.state.kind === "pending").length;
  });
}

/** @returns how long until the job is ready, in steps of a second. */
async function msUntilReady(jobId: string): Promise<number> {
  const since = Date.now();
  while ((await status(jobId)) !== "ready" && Date.now() < since + 2 * noticedWithinMs)
    await passTime(t, 1_000);
  return Date.now() - since;
}

describe("silent workers", () => {
  it("a silent worker with jobs loses its jobs when its lease expires, not before, and its late result is refused", async () => {
    const jobId = await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    await passTime(t, leaseMs - 2);
    expect(await status(jobId)).toBe("running");
    await passTime(t, 5_000);
    expect(await jobRow(t, jobId)).toMatchObject({ status: "ready", failures: 1 });
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await t.query(queue.jobs.attempts, { scope, jobId })).toMatchObject([
      { status: "lost", attemptId },
    ]);
  });

  it.each([0, 1_700, 3_999, 4_001, 15_000, 19_300, 37_500, 39_999])(
    "a silent worker with jobs is noticed in time, even if its last sign came %i ms after another worker's",
    async (offset) => {
      const other = await addWorker(t, { concurrency: 2 });
      await passTime(t, offset);
      const jobId = await submitJob(t);
      await takeOne(t, worker);
      // A sign so soon after the last one that it is not written.
      await passTime(t, 3_900);
      const before = await leaseOf();
      await heartbeat();
      expect(await leaseOf()).toEqual(before);
      await heartbeat(other);
      const took = await msUntilReady(jobId);
      // At least two heartbeats fit into the rest, so one may be lost.
      expect(took).toBeGreaterThan(30_000);
      expect(took).toBeLessThanOrEqual(noticedWithinMs);
    },
  );

  it("a silent worker with jobs leaves the rings: its jobs wake other workers, and no job wakes it", async () => {
    const other = await addWorker(t, { concurrency: 2 });
    const many = await addWorker(t, { concurrency: 2 });
    const lost = await submitJob(t);
    await take(t, many, { jobs: 2 });
    await take(t, other);
    expect(await waitingPositions(t, many)).toHaveLength(1);
    for (let ms = 0; ms < leaseMs; ms += 10_000) {
      await passTime(t, 10_000);
      await heartbeat(other);
    }
    await passTime(t, 5_000);
    expect(await status(lost)).toBe("ready");
    expect(await waitingPositions(t, many)).toEqual([]);
    expect(await shownTo(t, other)).toMatchObject([{ jobId: lost, late: false }]);
  });

  it("a worker that calls within its lease keeps its jobs", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    await passTime(t, 20_000);
    await heartbeat();
    await passTime(t, leaseMs - 10);
    expect(await status(jobId)).toBe("running");
    await passTime(t, 5_000);
    expect(await status(jobId)).toBe("ready");
  });

  it("a job that was lost too often becomes a dead letter", async () => {
    const jobId = await submitJob(t);
    for (let i = 0; i < policy.maxFailures; i += 1) {
      expect(await status(jobId)).toBe("ready");
      await takeOne(t, worker);
      await passTime(t, noticedWithinMs);
    }
    expect(await jobRow(t, jobId)).toMatchObject({ status: "failed", error: { code: "worker_lost" } });
  });

  it("a silent worker with jobs keeps the jobs that it took after its return, even if the loss of earlier ones was already scheduled", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    const { workerId, lastSeenAt } = await leaseOf();
    vi.setSystemTime(Date.now() + leaseMs);
    await heartbeat();
    await t.mutation(maintenance.expireLease, { workerId, lastSeenAt });
    expect(await status(jobId)).toBe("running");
  });

  it("a silent worker with jobs loses its other jobs even if the app refuses the end of one", async () => {
    const other = await addWorker(t);
    const [refused = "", lost = ""] = await submitJobs(t, [
      { onFinal: "function://;nowhere:refuses", policy: { maxFailures: 1 } },
      {},
    ]);
    await t.mutation(queue.work.claim, {
      keyHash: worker.keyHash,
      jobId: refused,
      late: false,
      demand: { jobs: 0 },
    });
    await t.mutation(queue.work.claim, {
      keyHash: other.keyHash,
      jobId: lost,
      late: false,
      demand: { jobs: 0 },
    });
    // The backend logs the app's error.
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await passTime(t, noticedWithinMs);
    expect(said).toHaveBeenCalled();
    said.mockRestore();
    expect(await status(refused)).toBe("running");
    expect(await status(lost)).toBe("ready");
  });
});

describe("leases", () => {
  it("a lease keeps the jobs of a worker that calls every 15 s, for an hour", async () => {
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    for (let elapsed = 0; elapsed < 3_600_000; elapsed += 15_000) {
      await passTime(t, 15_000);
      await heartbeat();
    }
    expect(await pending("sweepLeases")).toBe(1);
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "completed" });
  });

  it("a lease is the only thing that a heartbeat writes", async () => {
    await submitJob(t);
    await takeOne(t, worker);
    await passTime(t, 15_000);
    const everything = async () =>
      await t.run(async (ctx) => {
        const { db } = ctx;
        return await Promise.all([
          db.query("workers").collect(),
          db.query("sweeps").collect(),
          db.query("attempts").collect(),
          db.query("jobs").collect(),
          db.query("homes").collect(),
          db.query("stands").collect(),
          db.system.query("_scheduled_functions").collect(),
        ]);
      });
    const [before, lease] = [await everything(), await leaseOf()];
    await heartbeat();
    expect(await everything()).toEqual(before);
    const now = Date.now();
    expect(await leaseOf()).toEqual({ ...lease, lastSeenAt: now, deadline: now + leaseMs });
  });

  it("a lease is long without jobs, and short from the claim on", async () => {
    await passTime(t, 30_000);
    await heartbeat();
    expect((await leaseOf()).deadline).toBe(Date.now() + offlineAfterMs);
    await passTime(t, 1_000);
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    const short = Date.now() + leaseMs;
    expect((await leaseOf()).deadline).toBe(short);
    await passTime(t, 1_000);
    await complete(t, worker, attemptId);
    expect((await leaseOf()).deadline).toBe(short);
    await passTime(t, 10_000);
    await heartbeat();
    expect((await leaseOf()).deadline).toBe(Date.now() + offlineAfterMs);
  });

  it("a lease that stayed short after the last job is lengthened by the sweep", async () => {
    await submitJob(t);
    await take(t, await addWorker(t));
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    const since = Date.now();
    await complete(t, worker, attemptId, { jobs: 1 });
    await passTime(t, noticedWithinMs);
    expect((await leaseOf()).deadline).toBe(since + offlineAfterMs);
    expect(await waitingPositions(t, worker)).toHaveLength(1);
  });

  it("a lease follows the settings, from the next hello on", async () => {
    await t.mutation(queue.settings.configure, { scope, values: { leaseMs: 15_000 } });
    const said = await t.mutation(queue.work.hello, {
      keyHash: worker.keyHash,
      capabilities: { kinds: ["hash"] },
      startup: false,
    });
    expect(said.leaseMs).toBe(15_000);
    await passTime(t, 60_000);
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    expect(await msUntilReady(jobId)).toBeLessThanOrEqual(17_000);
  });
});

describe("sweeps", () => {
  const sweep = async (due: number, graced: boolean) =>
    await t.mutation(maintenance.sweepLeases, { scope, due, graced });

  it("the sweep runs once for each scope, and does not read another's leases", async () => {
    const stranger = await addWorker(t, {}, { scope: "other" });
    const jobId = await submitJob(t);
    const [theirs = ""] = await submitJobs(t, [{}], { scope: "other" });
    await takeOne(t, worker);
    await takeOne(t, stranger);
    expect(await pending("sweepLeases")).toBe(2);
    for (let ms = 0; ms < noticedWithinMs; ms += 15_000) {
      await passTime(t, 15_000);
      await heartbeat(stranger);
    }
    expect(await status(jobId)).toBe("ready");
    expect(await status(theirs)).toBe("running");
    expect(await pending("sweepLeases")).toBe(2);
  });

  it("the sweep gives one more lease if the backend was away when it was due", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    vi.setSystemTime(Date.now() + 3_600_000);
    const due = present(await nextSweep(), "time of the sweep");
    await sweep(due, false);
    expect(await status(jobId)).toBe("running");
    const again = Date.now() + leaseMs;
    expect(await nextSweep()).toBe(again);
    // Replaced by now, so a second sweep with that time does nothing.
    await sweep(due, false);
    expect(await nextSweep()).toBe(again);
    const { workerId, lastSeenAt } = await leaseOf();
    vi.setSystemTime(again + 6_000);
    await sweep(again, true);
    await t.mutation(maintenance.expireLease, { workerId, lastSeenAt });
    expect(await pending("expireLease")).toBe(1);
    expect(await status(jobId)).toBe("ready");
  });

  it("the sweep blames no worker for its own short delay", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    const due = present(await nextSweep(), "time of the sweep");
    const { _id } = await leaseOf();
    await t.run(async (ctx) => {
      await ctx.db.patch("leases", _id, { deadline: due + 1 });
    });
    vi.setSystemTime(due + 4_000);
    await sweep(due, false);
    expect(await pending("expireLease")).toBe(0);
    expect(await status(jobId)).toBe("running");
  });

  it("the sweep rests if no worker is online, and continues with the next that comes", async () => {
    await passTime(t, 2 * offlineAfterMs);
    expect(await nextSweep()).toBeNull();
    expect(await pending("sweepLeases")).toBe(0);
    await heartbeat();
    expect(await pending("sweepLeases")).toBe(1);
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    expect(await msUntilReady(jobId)).toBeLessThanOrEqual(noticedWithinMs);
  });

  it("the sweep also rests after a goodbye", async () => {
    await t.mutation(queue.work.goodbye, { keyHash: worker.keyHash });
    await passTime(t, leaseMs);
    expect(await nextSweep()).toBeNull();
  });

  it.each([
    ["the next hello", "hello"],
    ["the minute's count", "count"],
  ] as const)("a lost sweep is restarted by %s, a lease later", async (_, by) => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    await t.run(async (ctx) => {
      for (const { _id } of await ctx.db.system.query("_scheduled_functions").collect())
        await ctx.scheduler.cancel(_id);
    });
    const stranger = await addWorker(t);
    const say = async () => {
      if (by === "count") await t.action(counts.count, {});
      else {
        const { keyHash } = stranger;
        await t.mutation(queue.work.hello, { keyHash, capabilities: { kinds: ["hash"] }, startup: false });
      }
    };
    await passTime(t, leaseMs + 59_000);
    await say();
    expect(await pending("sweepLeases")).toBe(0);
    await passTime(t, 2_000);
    await say();
    await say();
    expect(await pending("sweepLeases")).toBe(1);
    await passTime(t, leaseMs - 10);
    expect(await status(jobId)).toBe("running");
    await passTime(t, 20);
    expect(await status(jobId)).toBe("ready");
  });

  it("the sweep runs at most three times a minute for a large fleet on schedule, and reads none of its leases", async () => {
    const fleet = [worker];
    while (fleet.length < 12) fleet.push(await addWorker(t));
    await submitJobs(
      t,
      Array.from({ length: 12 }, () => ({})),
    );
    for (const one of fleet) await takeOne(t, one);
    await passTime(t, leaseMs);
    const times = new Set<number>();
    const since = Date.now();
    while (Date.now() < since + 600_000) {
      for (const one of fleet) await heartbeat(one);
      for (let ms = 0; ms < 15_000; ms += 5_000) {
        await passTime(t, 5_000);
        times.add(present(await nextSweep(), "time of the sweep"));
      }
    }
    expect(times.size).toBeLessThanOrEqual(31);
  });

  it("the sweep handles hundreds of silent workers in bounded pieces", async () => {
    const jobIds = await silentFleet(400);
    const due = present(await nextSweep(), "time of the sweep");
    await passTime(t, due - Date.now());
    const rows = await t.run(
      async (ctx) => await Promise.all(jobIds.map(async (jobId) => await ctx.db.get("jobs", jobId))),
    );
    expect(rows.filter((job) => job?.status === "ready")).toHaveLength(400);
    const run = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
    const ofKind = (name: string) => run.filter((one) => one.name.includes(name));
    expect(ofKind("expireLease")).toHaveLength(400);
    // Eight runs found fifty leases each, one found none, and the next one is scheduled.
    expect(ofKind("sweepLeases")).toHaveLength(10);
  });

  /** Many workers, each with a job, whose leases expired. @returns their jobs. */
  async function silentFleet(many: number): Promise<Id<"jobs">[]> {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    const own = await leaseOf();
    const others = await t.run(async (ctx) => {
      const { db } = ctx;
      const like = <Row extends { _id: unknown; _creationTime: unknown }>(row: Row | null) => {
        const { _id, _creationTime, ...rest } = present(row, "row to copy");
        return rest;
      };
      const [worker, job, attempt] = [
        like(await db.get("workers", own.workerId)),
        like(await db.get("jobs", jobId)),
        like(await db.query("attempts").first()),
      ];
      const lease = { ...like(own), deadline: Date.now() + 1 };
      await db.patch("leases", own._id, lease);
      const made: Id<"jobs">[] = [];
      while (made.length < many - 1) {
        const keyHash = `copy-${String(made.length)}`;
        const workerId = await db.insert("workers", { ...worker, keyHash });
        await db.insert("leases", { ...lease, workerId, keyHash });
        const jobId = await db.insert("jobs", job);
        const currentAttemptId = await db.insert("attempts", { ...attempt, jobId, workerId, keyHash });
        await db.patch("jobs", jobId, { currentAttemptId });
        made.push(jobId);
      }
      return made;
    });
    return [jobId, ...others];
  }
});

describe("presence", () => {
  const online = async () => {
    const { workerId } = worker;
    return (await t.query(queue.workers.get, { scope, workerId }))?.online;
  };

  it("a worker's presence ends after a long silence, with the worker's wait, and returns with its next call", async () => {
    await take(t, worker);
    expect(await online()).toBe(true);
    await passTime(t, offlineAfterMs);
    expect(await online()).toBe(false);
    expect(await waitingPositions(t, worker)).toEqual([]);
    await heartbeat();
    expect(await online()).toBe(true);
    await passTime(t, offlineAfterMs);
    expect(await online()).toBe(false);
  });

  it("a worker's presence lasts if the worker calls once a minute", async () => {
    await take(t, worker);
    for (let i = 0; i < 10; i += 1) {
      await passTime(t, 60_000);
      expect(await online()).toBe(true);
      await heartbeat();
    }
    expect(await waitingPositions(t, worker)).toHaveLength(1);
    expect(await heldBy(t, worker)).toEqual([]);
  });

  it("a worker's presence ends after the worker's jobs were lost, at the usual time after its last sign", async () => {
    await submitJob(t);
    await takeOne(t, worker);
    await passTime(t, offlineAfterMs - 10);
    expect(await heldBy(t, worker)).toEqual([]);
    expect(await online()).toBe(true);
    await passTime(t, 3_010);
    expect(await online()).toBe(false);
    expect((await leaseOf()).deadline).toBeUndefined();
  });
});
