import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Capabilities } from "../../../shared/validators.ts";
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
import { addWorker, claim, complete, shownTo, take, takeOne } from "../../testing/workers.fixture.ts";
import { counts } from "../counts/references.ts";
import { maintenance } from "../references.ts";

const started = Date.parse("2026-11-21T08:00:00Z");
const dayMs = 24 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
});
afterEach(() => vi.useRealTimers());

async function count(t: Backend): Promise<void> {
  await t.action(counts.count, {});
}

async function setState(t: Backend, laneId: string, state: "open" | "paused" | "draining"): Promise<void> {
  await t.mutation(queue.lanes.setState, { scope, laneId, state, actor: "eve" });
}

describe("lanes.stats", () => {
  it("stats shows the jobs of each lane, as of the last count", async () => {
    const t = startQueue();
    await submitJobs(t, [{}, { priority: "high" }, { delayMs: 9e6 }, { kind: "resize" }]);
    const empty = { ready: 0, waiting: 0, running: 0, lanes: [{ countedAt: null }, { countedAt: null }] };
    expect(await t.query(queue.lanes.stats, { scope })).toMatchObject(empty);
    await takeOne(t, await addWorker(t));
    await addWorker(t);
    vi.setSystemTime(started + 5);
    await count(t);
    expect(await t.query(queue.lanes.stats, { scope })).toMatchObject({
      ready: 2,
      waiting: 1,
      running: 1,
      workers: { online: 2, accepting: 1 },
      lanes: [
        { kind: "hash", ready: 1, waiting: 1, running: 1, countedAt: started + 5, oldestReadyAt: started },
        { kind: "resize", ready: 1, waiting: 0, running: 0 },
      ],
    });
    const other = { ready: 0, workers: { online: 0, accepting: 0 }, lanes: [] };
    expect(await t.query(queue.lanes.stats, { scope: "other" })).toMatchObject(other);
  });

  it("stats counts many lanes of many scopes", async () => {
    const t = startQueue();
    const kinds = Array.from({ length: 64 }, (_, n) => ({ kind: `kind ${String(n)}` }));
    await submitJobs(t, [...kinds, ...kinds]);
    await submitJobs(t, kinds, { scope: "other" });
    await count(t);
    expect(await t.query(queue.lanes.stats, { scope })).toMatchObject({ ready: 128 });
    expect(await t.query(queue.lanes.stats, { scope: "other" })).toMatchObject({ ready: 64 });
  });

  it("stats counts more than a first look reads, and estimates more than 2,000", async () => {
    const t = startQueue();
    await submitJobs(
      t,
      Array.from({ length: 100 }, () => ({ kind: "small" })),
    );
    for (let call = 0; call < 5; call += 1)
      await submitJobs(
        t,
        Array.from({ length: 500 }, () => ({})),
      );
    await count(t);
    const [large, small] = await t.query(queue.lanes.list, { scope });
    expect(small).toMatchObject({ kind: "small", ready: 100 });
    // Six standard errors.
    expect(Math.abs(large!.ready - 2_500)).toBeLessThan(330);
  });

  it("stats counts the rest if a lane or scope has more than a call may read", async () => {
    const t = startQueue({ documentsRead: 60 });
    const log = vi.spyOn(console, "error").mockReturnValue();
    await submitJobs(t, Array<object>(40).fill({ kind: "most" }), { scope: "first" });
    for (const priority of ["high", "low"] as const) {
      await submitJobs(t, Array<object>(40).fill({ kind: "most", priority }), { scope: "first" });
    }
    await submitJobs(t, [{ kind: "one" }, { kind: "two" }], { scope: "first" });
    await submitJobs(t, [{}]);
    await count(t);
    expect(await t.query(queue.lanes.stats, { scope: "first" })).toMatchObject({
      lanes: [
        { kind: "most", countedAt: null },
        { kind: "one", ready: 1 },
        { kind: "two", ready: 1 },
      ],
    });
    expect(await t.query(queue.lanes.stats, { scope })).toMatchObject({ ready: 1 });
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it("stats counts rows of any size, and reads only as much as a call may", async () => {
    const t = startQueue({});
    const tags = Array.from({ length: 16 }, (_, n) => `${String(n)}${"語".repeat(250)}`);
    const job = { kind: "large", requirements: { tags, groups: tags } };
    for (let call = 0; call < 8; call += 1) await submitJobs(t, Array<object>(100).fill(job));
    await count(t);
    const [lane] = await t.query(queue.lanes.list, { scope });
    // About four hundred are read: six standard errors.
    expect(Math.abs(lane!.ready - 800)).toBeLessThan(240);
  });

  it("stats counts a lane that became empty once more, and then not again", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    await count(t);
    await t.mutation(queue.jobs.cancel, { scope, jobId });
    vi.setSystemTime(started + 60_000);
    await count(t);
    vi.setSystemTime(started + 120_000);
    await count(t);
    const [lane] = await t.query(queue.lanes.list, { scope });
    expect(lane).toMatchObject({ ready: 0, countedAt: started + 60_000, oldestReadyAt: null });
  });
});

describe("lanes.live", () => {
  it("live counts the jobs of each status, lane and requester now", async () => {
    const t = startQueue();
    expect(await t.query(queue.lanes.live, { scope })).toMatchObject({ lanes: [] });
    await submitJobs(t, [{}, {}, { delayMs: 9e6, requester: "ada" }, { kind: "resize", requester: "ada" }]);
    await takeOne(t, await addWorker(t));
    const [hash, resize] = await t.query(queue.lanes.list, { scope });
    expect(await t.query(queue.lanes.live, { scope })).toEqual({
      ready: { count: 2, more: false },
      waiting: { count: 1, more: false },
      running: { count: 1, more: false },
      lanes: expect.arrayContaining([
        { laneId: hash!.laneId, ready: 1, waiting: 1, running: 1, oldestReadyAt: started },
        { laneId: resize!.laneId, ready: 1, waiting: 0, running: 0, oldestReadyAt: started },
      ]) as unknown,
      requesters: [{ name: "ada", ready: 1, waiting: 1, running: 0 }],
    });
    expect(await t.query(queue.lanes.live, { scope: "other" })).toMatchObject({ lanes: [] });
  });

  it("live tells at once when the oldest ready job of a lane became ready", async () => {
    const t = startQueue();
    const [first] = await submitJobs(t, [{}]);
    vi.setSystemTime(started + 1_000);
    const [second] = await submitJobs(t, [{}]);
    const oldest = async () => (await t.query(queue.lanes.live, { scope })).lanes[0]?.oldestReadyAt;
    expect(await oldest()).toBe(started);
    await t.mutation(queue.jobs.cancel, { scope, jobId: first! });
    expect(await oldest()).toBe(started + 1_000);
    await submitJobs(t, [{ delayMs: 9e6 }]);
    await t.mutation(queue.jobs.cancel, { scope, jobId: second! });
    expect(await oldest()).toBeNull();
  });

  it("the requesters with most jobs are those of the last count", async () => {
    const t = startQueue();
    const counted = async () => {
      await t.action(counts.count, {});
      return await t.query(queue.lanes.requesters, { scope });
    };
    expect(await counted()).toEqual([]);
    const [jobId] = await submitJobs(t, [{ requester: "ada" }]);
    await submitJobs(t, [{ requester: "ben" }, { requester: "ben", delayMs: 9e6 }, {}]);
    expect(await t.query(queue.lanes.requesters, { scope })).toEqual([]);
    const ben = { name: "ben", ready: 1, waiting: 1, running: 0 };
    expect(await counted()).toEqual([ben, { name: "ada", ready: 1, waiting: 0, running: 0 }]);
    await t.mutation(queue.jobs.cancel, { scope, jobId: jobId! });
    expect(await counted()).toEqual([ben]);
    expect(await t.query(queue.lanes.requesters, { scope: "other" })).toEqual([]);
  });

  it("live says that there are more than it counts, and reads at most 300 documents and one of a lane", async () => {
    const t = startQueue({ documentsRead: 301 });
    for (let call = 0; call < 15; call += 1) await submitJobs(t, Array<object>(10).fill({}));
    for (let call = 0; call < 15; call += 1) await submitJobs(t, Array<object>(10).fill({ delayMs: 9e6 }));
    expect(await t.query(queue.lanes.live, { scope })).toMatchObject({
      ready: { count: 100, more: true },
      waiting: { count: 100, more: true },
      running: { count: 0, more: false },
    });
  });
});

it("a lane tells who set its state, and when", async () => {
  const t = startQueue();
  await submitJobs(t, [{}]);
  const laneOf = async () => (await t.query(queue.lanes.list, { scope }))[0]!;
  const lane = await laneOf();
  expect(lane).toMatchObject({ stateBy: null, stateAt: null });
  vi.setSystemTime(started + 60_000);
  await setState(t, lane.laneId, "paused");
  expect(await laneOf()).toMatchObject({ state: "paused", stateBy: "eve", stateAt: started + 60_000 });
});

describe("workers in lanes.stats", () => {
  async function addFleet(t: Backend, many: number): Promise<void> {
    const laneId = (await jobRow(t, await submitJob(t))).laneId;
    await t.run(async (ctx) => {
      for (let n = 0; n < many; n += 1) {
        const position = Math.floor((n * 65_536) / many);
        const workerId = await ctx.db.insert("workers", {
          scope,
          keyHash: `fleet ${String(n)}`,
          name: "one of many",
          status: "active",
          groups: [],
          dataClasses: [],
          // Three of four are online, and two of those accept.
          online: n % 4 !== 0,
          position,
          life: 0,
          registeredAt: started,
          lastChangeAt: started,
        });
        if (n % 4 > 1) await ctx.db.insert("homes", { laneId, position, workerId });
      }
    });
  }

  const workers = async (t: Backend) => (await t.query(queue.lanes.stats, { scope })).workers;

  it("the workers in the stats are counted at once in a small fleet", async () => {
    const t = startQueue();
    await addFleet(t, 80);
    expect(await workers(t)).toEqual({ online: 60, accepting: 40 });
  });

  it("the workers in the stats are those of the last count in a larger fleet", async () => {
    const t = startQueue();
    await addFleet(t, 400);
    await count(t);
    expect(await workers(t)).toEqual({ online: 300, accepting: 200 });
    await t.run(async (ctx) => {
      const some = await ctx.db.query("workers").take(200);
      for (const { _id } of some) await ctx.db.patch("workers", _id, { online: false });
    });
    expect(await workers(t)).toEqual({ online: 150, accepting: 100 });
    await count(t);
    expect(await t.run(async (ctx) => await ctx.db.query("fleets").collect())).toEqual([]);
  });

  it("the workers in the stats are estimated in a fleet larger than the sample", async () => {
    const t = startQueue();
    await addFleet(t, 1_600);
    await count(t);
    const { online, accepting } = await workers(t);
    expect(Math.abs(online - 1_200)).toBeLessThan(12);
    expect(Math.abs(accepting - 800)).toBeLessThan(8);
  });
});

async function cancelKind(t: Backend, kind: string): Promise<void> {
  const lane = (await t.query(queue.lanes.list, { scope })).find((one) => one.kind === kind);
  const which = { scope, by: "lane" as const, name: lane?.laneId ?? "", running: true };
  await t.mutation(queue.jobs.cancelMany, which);
  await passTime(t, 0);
}

describe("lanes.isThereWork", () => {
  it("isThereWork tells whether the scope has a ready job", async () => {
    const t = startQueue();
    const isThereWork = async () => await t.query(queue.lanes.isThereWork, { scope });
    expect(await isThereWork()).toBe(false);
    await submitJobs(t, [{}], { scope: "other" });
    await submitJob(t, { delayMs: 1_000 });
    expect(await isThereWork()).toBe(false);
    await passTime(t, 1_000);
    expect(await isThereWork()).toBe(true);
    await takeOne(t, await addWorker(t));
    expect(await isThereWork()).toBe(false);

    const jobId = await submitJob(t);
    const { laneId } = await jobRow(t, jobId);
    await setState(t, laneId, "paused");
    expect(await isThereWork()).toBe(false);
    await submitJob(t, { kind: "another" });
    expect(await isThereWork()).toBe(true);
    await setState(t, laneId, "draining");
    await cancelKind(t, "another");
    expect(await isThereWork()).toBe(true);
  });

  it("isThereWork tells whether there is a ready job for a worker with given capabilities", async () => {
    const t = startQueue();
    const isThereWork = async (capabilities: Capabilities, of: { groups?: string[] } = {}) =>
      await t.query(queue.lanes.isThereWork, { scope, worker: { capabilities, ...of } });
    await submitJob(t, { kind: "hash", requirements: { model: "large", gpu: true, groups: ["lab"] } });
    const able = { kinds: ["hash"], models: ["large"], gpu: true };
    expect(await isThereWork(able, { groups: ["lab"] })).toBe(true);
    expect(await isThereWork(able)).toBe(false);
    expect(await isThereWork({ ...able, gpu: false }, { groups: ["lab"] })).toBe(false);
    expect(await isThereWork({ ...able, models: ["small"] }, { groups: ["lab"] })).toBe(false);
    expect(await isThereWork({ ...able, kinds: ["copy"] }, { groups: ["lab"] })).toBe(false);
    await submitJob(t, { kind: "copy" });
    expect(await isThereWork({ kinds: ["copy"] })).toBe(true);
  });
});

describe("backlogs", () => {
  const submit = async (
    t: Backend,
    job: { kind?: string; requester?: string; idempotencyKey?: string } = {},
  ) => await t.mutation(queue.jobs.submit, { scope, jobs: [{ kind: "hash", payload: 1, ...job }] });

  it("a full queue accepts nothing in a full lane, says when to come back, and accepts jobs after it drained", async () => {
    const t = startQueue();
    await t.mutation(queue.settings.configure, { scope, values: { maxQueued: 10 } });
    await submitJobs(
      t,
      Array.from({ length: 30 }, () => ({ idempotencyKey: "k" })),
    );
    await submitJobs(
      t,
      Array.from({ length: 39 }, () => ({})),
    );
    await count(t);
    vi.setSystemTime(started + 20_000);
    expect(await submit(t)).toEqual({ kind: "full", retryAfterMs: 40_000 });
    expect(await submit(t, { kind: "resize" })).toMatchObject({ kind: "submitted" });
    // A repeated job is no submission.
    expect(await submit(t, { idempotencyKey: "k" })).toMatchObject({ kind: "submitted", repeated: 1 });

    // Ten a minute are done. 30 are left, 21 too many.
    await cancelSome(t, 10);
    vi.setSystemTime(started + 60_000);
    await count(t);
    expect(await submit(t)).toEqual({ kind: "full", retryAfterMs: 126_000 });
    // None are done, so it may take long.
    vi.setSystemTime(started + 120_000);
    await count(t);
    expect(await submit(t)).toEqual({ kind: "full", retryAfterMs: 300_000 });
    await cancelSome(t, 21);
    await count(t);
    expect(await submit(t)).toMatchObject({ kind: "submitted" });
  });

  async function cancelSome(t: Backend, many: number): Promise<void> {
    const which = { scope, status: "ready" as const, paginationOpts: { numItems: 100, cursor: null } };
    const { page } = await t.query(queue.jobs.list, which);
    const ofLane = page.filter(({ kind }) => kind === "hash").slice(0, many);
    expect(ofLane).toHaveLength(many);
    for (const { jobId } of ofLane) await t.mutation(queue.jobs.cancel, { scope, jobId });
  }

  it("a full queue accepts nothing from a requester with too many jobs in all lanes, and everything from others", async () => {
    const t = startQueue();
    await t.mutation(queue.settings.configure, { scope, values: { maxQueuedPerRequester: 4 } });
    const ada = { requester: "ada" };
    await submitJobs(t, [
      ada,
      ada,
      { ...ada, kind: "resize" },
      { ...ada, delayMs: 9e6 },
      { requester: "bob" },
    ]);
    await submitJobs(t, [ada], { scope: "other" });
    await count(t);
    expect(await submit(t, ada)).toMatchObject({ kind: "full" });
    expect(await submit(t, { requester: "bob" })).toMatchObject({ kind: "submitted" });
    const elsewhere = await t.mutation(queue.jobs.submit, {
      scope: "other",
      jobs: [{ kind: "hash", payload: 1, ...ada }],
    });
    expect(elsewhere).toMatchObject({ kind: "submitted" });
  });
});

describe("lanes.setState", () => {
  it("a paused lane gives out no job, and shows its jobs to waiters when it opens", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    const { laneId } = await jobRow(t, jobId);
    await setState(t, laneId, "paused");
    const worker = await addWorker(t);
    expect(await take(t, worker)).toMatchObject({ jobs: [] });
    expect(await claim(t, worker, jobId)).not.toMatchObject({ kind: "claimed" });
    expect(await statusesOf(t, [jobId])).toEqual(["ready"]);
    await setState(t, laneId, "open");
    await passTime(t, 0);
    expect(await shownTo(t, worker)).toMatchObject([{ jobId }]);
    expect(await claim(t, worker, jobId)).toMatchObject({ kind: "claimed" });
  });

  it("a draining lane finishes its jobs", async () => {
    const t = startQueue();
    const jobId = await submitJob(t);
    await setState(t, (await jobRow(t, jobId)).laneId, "draining");
    const worker = await addWorker(t);
    await complete(t, worker, (await takeOne(t, worker)).attemptId);
    expect(await statusesOf(t, [jobId])).toEqual(["succeeded"]);
  });

  it("each change of a lane's state is recorded once", async () => {
    const t = startQueue();
    const { laneId } = await jobRow(t, await submitJob(t));
    for (const state of ["paused", "paused", "draining", "open"] as const) {
      await setState(t, laneId, state);
      await passTime(t, 1);
    }
    const { page } = await t.query(queue.events.list, {
      scope,
      paginationOpts: { numItems: 9, cursor: null },
    });
    expect(page.map(({ actor, action }) => [actor, action])).toEqual([
      ["eve", "lane.open"],
      ["eve", "lane.drain"],
      ["eve", "lane.pause"],
    ]);
    const other = { scope: "other", laneId, state: "open" as const };
    expect(await refused(t.mutation(queue.lanes.setState, other))).toBe("not_found");
  });
});

describe("unused lanes", () => {
  const forget = async (t: Backend): Promise<void> => {
    await t.mutation(maintenance.forgetLanes, { cursor: null });
    await passTime(t, 0);
  };
  const lanesLeft = async (t: Backend) =>
    (await t.query(queue.lanes.list, { scope })).map(({ kind }) => kind);

  it("an unused lane is deleted with its rings and its count; lanes with open jobs, lanes in use and paused lanes stay", async () => {
    const t = startQueue();
    const [unused, , paused] = await submitJobs(t, [
      {},
      { kind: "open" },
      { kind: "paused" },
      { kind: "used" },
    ]);
    await setState(t, (await jobRow(t, paused!)).laneId, "paused");
    await count(t);
    const worker = await addWorker(t);
    for (const jobId of [unused!, paused!]) await t.mutation(queue.jobs.cancel, { scope, jobId });
    expect(await take(t, worker)).toMatchObject({ jobs: [], subscriptions: [{}] });
    await t.mutation(queue.jobs.cancelMany, {
      scope,
      by: "lane",
      name: await laneOf(t, "used"),
      running: true,
    });
    await passTime(t, 1.5 * dayMs - 3_600_000);
    await forget(t);
    expect(await lanesLeft(t)).toHaveLength(4);
    await submitJob(t, { kind: "used" });
    await t.mutation(queue.jobs.cancelMany, {
      scope,
      by: "lane",
      name: await laneOf(t, "used"),
      running: true,
    });
    await passTime(t, started + 1.5 * dayMs - Date.now());
    await forget(t);
    expect(await lanesLeft(t)).toEqual(["open", "paused", "used"]);
    const rings = await t.run(async (ctx) => [
      await ctx.db.query("homes").collect(),
      await ctx.db.query("stands").collect(),
      (await ctx.db.query("laneCounts").collect()).length,
    ]);
    expect(rings).toEqual([[], [], 3]);
    // It comes back with its next job.
    await submitJob(t);
    expect(await lanesLeft(t)).toContain("hash");
  });

  async function laneOf(t: Backend, kind: string): Promise<string> {
    const lanes = await t.query(queue.lanes.list, { scope });
    return lanes.find((lane) => lane.kind === kind)!.laneId;
  }
});
