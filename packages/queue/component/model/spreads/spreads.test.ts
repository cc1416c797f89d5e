import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, shownTo, type TestWorker } from "../../testing/workers.fixture.ts";
import { slotOf } from "../placement.ts";
import { maintenance } from "../references.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(Date.parse("2026-11-21T08:00:00Z"));
});
afterEach(() => vi.useRealTimers());

async function slotsOf(t: Backend, ids: readonly string[]): Promise<number[]> {
  return await Promise.all(ids.map(async (id) => slotOf((await jobRow(t, id)).place)));
}

async function spreads(t: Backend) {
  return await t.run(async (ctx) => await ctx.db.query("spreads").collect());
}

/**
 * Waits, and claims one of the jobs that it is shown, like the worker library: one with others behind it, if there is
 * one. It waits only while it claims, so later submissions find no waiter.
 */
async function claimShown(t: Backend, { keyHash, workerId }: TestWorker): Promise<void> {
  await t.run(async (ctx) => {
    const lane = await ctx.db.query("lanes").first();
    const id = ctx.db.normalizeId("workers", workerId);
    if (lane === null || id === null) throw new Error("no lane, or no worker");
    const { _id: laneId, scope, name } = lane;
    await ctx.db.insert("stands", { laneId, scope, lane: name, position: 0, workerId: id, keyHash });
  });
  const shown = await shownTo(t, { keyHash, workerId });
  const first = shown.find(({ backlogged }) => backlogged === true) ?? shown[0];
  if (first === undefined) throw new Error("nothing is shown");
  const { jobId, late, laneId, backlogged } = first;
  const said = backlogged === undefined ? {} : { backlogged };
  const outcome = await t.mutation(queue.work.claim, {
    keyHash,
    jobId,
    late,
    laneId,
    ...said,
    demand: { jobs: 0 },
  });
  expect(outcome.kind).toBe("claimed");
}

/** A worker with room for many jobs, and jobs of these affinities, each submitted in its own call, in a lane of sixteen slots. */
async function crowd(t: Backend, affinities: readonly (string | undefined)[]): Promise<TestWorker> {
  const worker = await addWorker(t, { concurrency: 16 });
  await submitJob(t);
  // The lane's slots are fitted by then, and stay as they are set here.
  await passTime(t, 1_500);
  await t.run(async (ctx) => {
    for (const lane of await ctx.db.query("lanes").collect())
      await ctx.db.patch("lanes", lane._id, { slots: 16 });
  });
  for (const affinity of affinities) await submitJob(t, affinity === undefined ? {} : { affinity });
  return worker;
}

describe("affinity", () => {
  it("jobs of one affinity in one submission are placed at consecutive slots, and in separate ones at one slot", async () => {
    const t = startQueue();
    const job = { affinity: "prompt" };
    const [a, b, other, c] = await slotsOf(
      t,
      await submitJobs(t, [job, job, { affinity: "prompt", kind: "sum" }, job]),
    );
    const [single] = await slotsOf(t, [await submitJob(t, job)]);
    const between = 65_536 / 16;
    expect(single).toBe(a);
    expect(other).toBe(a);
    expect([b, c]).toEqual([(a! + between) % 65_536, (a! + 2 * between) % 65_536]);
  });

  it("jobs of one affinity keep their affinity as long as their payload", async () => {
    const t = startQueue();
    const [named, plain] = await submitJobs(t, [{ affinity: "prompt" }, {}]);
    expect((await jobRow(t, named!)).affinity).toBe("prompt");
    expect("affinity" in (await jobRow(t, plain!))).toBe(false);
    await t.mutation(queue.jobs.cancel, { scope: "acme", jobId: named! });
    await passTime(t, 24 * 3_600_000);
    await t.mutation(maintenance.purge, {});
    expect("affinity" in (await jobRow(t, named!))).toBe(false);
  });

  it("jobs of one affinity are spread over twice as many slots if two more wait behind a claimed one, at most once a second", async () => {
    const t = startQueue();
    const worker = await crowd(t, ["hot", "hot", "hot", "hot"]);
    await claimShown(t, worker);
    expect(await spreads(t)).toMatchObject([{ affinity: "hot", width: 2 }]);
    await claimShown(t, worker);
    expect(await spreads(t)).toMatchObject([{ width: 2 }]);
    await passTime(t, 1_000);
    // Enough that each of the two random slots gets more than two.
    for (let more = 0; more < 24; more += 1) await submitJob(t, { affinity: "hot" });
    await claimShown(t, worker);
    expect(await spreads(t)).toMatchObject([{ width: 4 }]);
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => await submitJob(t, { affinity: "hot" })),
    );
    expect(new Set(await slotsOf(t, ids)).size).toBe(4);
  });

  it("jobs of one affinity are not spread if only two wait together, or others have another affinity or none", async () => {
    const t = startQueue();
    const worker = await crowd(t, ["a", "a", "b", undefined, undefined]);
    for (let claims = 0; claims < 6; claims += 1) await claimShown(t, worker);
    expect(await spreads(t)).toEqual([]);
  });

  it("jobs of one affinity return to one slot by themselves, and the stored spread is deleted", async () => {
    const t = startQueue();
    const worker = await crowd(t, ["hot", "hot", "hot"]);
    await claimShown(t, worker);
    expect(await spreads(t)).toHaveLength(1);
    await passTime(t, 60_000);
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => await submitJob(t, { affinity: "hot" })),
    );
    expect(new Set(await slotsOf(t, ids)).size).toBe(1);
    await t.mutation(maintenance.forget, {});
    expect(await spreads(t)).toHaveLength(1);
    await passTime(t, 14 * 60_000 + 1);
    await t.mutation(maintenance.forget, {});
    expect(await spreads(t)).toEqual([]);
  });
});
