import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Doc, Id } from "../../builders.ts";
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
  standsOf,
  take,
  takeOne,
  type TestWorker,
} from "../../testing/workers.fixture.ts";
import { counts, maintenance } from "../references.ts";
import { present } from "../refuse.ts";
import { defaultSettings } from "../settings.ts";

const { leaseMs, offlineAfterMs, policy } = defaultSettings;
/** From a worker's last sign to its job being ready again, at the most. */
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

describe("a silent worker at work", () => {
  it("loses its jobs when its lease runs out, not before, and its late result is refused", async () => {
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
    "is noticed in time, by whatever its last sign fell %i ms after another's",
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
      // Two heartbeats fit in what is left at least, so that one may be lost.
      expect(took).toBeGreaterThan(30_000);
      expect(took).toBeLessThanOrEqual(noticedWithinMs);
    },
  );

  it("is counted on no more: its jobs wake those that wait, and no job wakes it", async () => {
    const other = await addWorker(t, { concurrency: 2 });
    const many = await addWorker(t, { concurrency: 2 });
    const lost = await submitJob(t);
    await take(t, many, { jobs: 2 });
    await take(t, other);
    expect(await standsOf(t, many)).toHaveLength(1);
    for (let ms = 0; ms < leaseMs; ms += 10_000) {
      await passTime(t, 10_000);
      await heartbeat(other);
    }
    await passTime(t, 5_000);
    expect(await status(lost)).toBe("ready");
    expect(await standsOf(t, many)).toEqual([]);
    expect(await shownTo(t, other)).toMatchObject([{ jobId: lost, late: false }]);
  });

  it("keeps its jobs when it says something within the lease", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    await passTime(t, 20_000);
    await heartbeat();
    await passTime(t, leaseMs - 10);
    expect(await status(jobId)).toBe("running");
    await passTime(t, 5_000);
    expect(await status(jobId)).toBe("ready");
  });

  it("makes a dead letter of a job that was lost as often as it may be", async () => {
    const jobId = await submitJob(t);
    for (let i = 0; i < policy.maxFailures; i += 1) {
      expect(await status(jobId)).toBe("ready");
      await takeOne(t, worker);
      await passTime(t, noticedWithinMs);
    }
    expect(await jobRow(t, jobId)).toMatchObject({ status: "failed", error: { code: "worker_lost" } });
  });

  it("keeps what it took after it came back, though it was about to lose what it held before", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    const { workerId, lastSeenAt } = await leaseOf();
    vi.setSystemTime(Date.now() + leaseMs);
    await heartbeat();
    await t.mutation(maintenance.lapse, { workerId, lastSeenAt });
    expect(await status(jobId)).toBe("running");
  });

  it("does not keep others' jobs from being lost when the app refuses one's end", async () => {
    const other = await addWorker(t);
    const [refused = "", lost = ""] = await submitJobs(t, [
      { onFinal: "function://;nowhere:refuses", policy: { maxFailures: 1 } },
      {},
    ]);
    await t.mutation(queue.work.claim, {
      keyHash: worker.keyHash,
      jobId: refused,
      late: false,
      wish: { jobs: 0 },
    });
    await t.mutation(queue.work.claim, {
      keyHash: other.keyHash,
      jobId: lost,
      late: false,
      wish: { jobs: 0 },
    });
    // What the app throws is said on the console by the backend.
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await passTime(t, noticedWithinMs);
    expect(said).toHaveBeenCalled();
    said.mockRestore();
    expect(await status(refused)).toBe("running");
    expect(await status(lost)).toBe("ready");
  });
});

describe("a lease", () => {
  it("keeps the jobs of a worker that says something every 15 s, for an hour", async () => {
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    for (let elapsed = 0; elapsed < 3_600_000; elapsed += 15_000) {
      await passTime(t, 15_000);
      await heartbeat();
    }
    expect(await pending("sweepLeases")).toBe(1);
    expect(await complete(t, worker, attemptId)).toMatchObject({ kind: "completed" });
  });

  it("is all that a heartbeat writes", async () => {
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

  it("is the long one while nothing is held, and the short one from the claim on", async () => {
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

  it("that was left short when the last job ended is lengthened by the sweep", async () => {
    await submitJob(t);
    await take(t, await addWorker(t));
    await submitJob(t);
    const { attemptId } = await takeOne(t, worker);
    const since = Date.now();
    await complete(t, worker, attemptId, { jobs: 1 });
    await passTime(t, noticedWithinMs);
    expect((await leaseOf()).deadline).toBe(since + offlineAfterMs);
    expect(await standsOf(t, worker)).toHaveLength(1);
  });

  it("goes by what is set, from the next hello on", async () => {
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

describe("the sweep", () => {
  const sweep = async (due: number, graced: boolean) =>
    await t.mutation(maintenance.sweepLeases, { scope, due, graced });

  it("is one per scope, and does not look at another's", async () => {
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

  it("gives one more lease when the backend was away when it was due", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    vi.setSystemTime(Date.now() + 3_600_000);
    const due = present(await nextSweep(), "time of the sweep");
    await sweep(due, false);
    expect(await status(jobId)).toBe("running");
    const again = Date.now() + leaseMs;
    expect(await nextSweep()).toBe(again);
    // Replaced by now: a second one of that time does nothing.
    await sweep(due, false);
    expect(await nextSweep()).toBe(again);
    const { workerId, lastSeenAt } = await leaseOf();
    vi.setSystemTime(again + 6_000);
    await sweep(again, true);
    await t.mutation(maintenance.lapse, { workerId, lastSeenAt });
    expect(await pending("lapse")).toBe(1);
    expect(await status(jobId)).toBe("ready");
  });

  it("blames nobody for the moment that it came late itself", async () => {
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    const due = present(await nextSweep(), "time of the sweep");
    const { _id } = await leaseOf();
    await t.run(async (ctx) => {
      await ctx.db.patch("leases", _id, { deadline: due + 1 });
    });
    vi.setSystemTime(due + 4_000);
    await sweep(due, false);
    expect(await pending("lapse")).toBe(0);
    expect(await status(jobId)).toBe("running");
  });

  it("rests when nobody is online, and goes on with the next that comes", async () => {
    await passTime(t, 2 * offlineAfterMs);
    expect(await nextSweep()).toBeNull();
    expect(await pending("sweepLeases")).toBe(0);
    await heartbeat();
    expect(await pending("sweepLeases")).toBe(1);
    const jobId = await submitJob(t);
    await takeOne(t, worker);
    expect(await msUntilReady(jobId)).toBeLessThanOrEqual(noticedWithinMs);
  });

  it("rests after a goodbye, too", async () => {
    await t.mutation(queue.work.goodbye, { keyHash: worker.keyHash });
    await passTime(t, leaseMs);
    expect(await nextSweep()).toBeNull();
  });

  it.each([
    ["the next hello", "hello"],
    ["the minute's count", "count"],
  ] as const)("that broke off begins anew with %s, a lease later", async (_, by) => {
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

  it("comes at most three times a minute while a large fleet keeps its cadence, each time to read nothing of it", async () => {
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

  it("takes a thousand that went silent at once in bounded pieces", async () => {
    const jobIds = await silentFleet(1_000);
    const due = present(await nextSweep(), "time of the sweep");
    await passTime(t, due - Date.now());
    const rows = await t.run(
      async (ctx) => await Promise.all(jobIds.map(async (jobId) => await ctx.db.get("jobs", jobId))),
    );
    expect(rows.filter((job) => job?.status === "ready")).toHaveLength(1_000);
    const run = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
    const ofKind = (name: string) => run.filter((one) => one.name.includes(name));
    expect(ofKind("lapse")).toHaveLength(1_000);
    // Twenty that found fifty each, and one that found no more; the next one is to come.
    expect(ofKind("sweepLeases")).toHaveLength(22);
  }, 120_000);

  /** So many, each with a job, whose leases ran out. @returns their jobs. */
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

  it("ends after its jobs were lost, as long after its last sign as any other's", async () => {
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
