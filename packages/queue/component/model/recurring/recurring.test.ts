import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Schedule } from "../../../shared/validators.ts";
import type { QueueComponent } from "../../component.ts";
import { type Backend, queue, scope, startQueue } from "../../testing/queue.fixture.ts";
import { fireRecurring } from "./clock.ts";

const started = Date.parse("2026-11-21T08:00:00Z");

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(started);
  // The crons component logs its work.
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const everyMinute: Schedule = { kind: "interval", everyMs: 60_000 };
const job = { kind: "report", payload: { of: "yesterday" }, requester: "clock" };
type Set = QueueComponent["recurring"]["set"]["_args"];

async function set(t: Backend, over: Partial<Set> = {}): Promise<void> {
  await t.mutation(queue.recurring.set, { scope, name: "daily", schedule: everyMinute, job, ...over });
}

async function only(t: Backend) {
  const all = await t.query(queue.recurring.list, { scope });
  expect(all).toHaveLength(1);
  return all[0]!;
}

async function submitted(t: Backend) {
  const jobs = await t.run(async (ctx) => await ctx.db.query("jobs").collect());
  return jobs.map(({ submittedAt }) => submittedAt - started);
}

/** Lets time pass in seconds, and runs what is due in each. */
async function pass(t: Backend, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1_000);
    await t.finishInProgressScheduledFunctions();
  }
}

describe("recurring jobs", () => {
  it("a recurring job is submitted at each interval, and shows its next time", async () => {
    const t = startQueue();
    await set(t);
    expect(await only(t)).toEqual({
      name: "daily",
      schedule: everyMinute,
      paused: false,
      kind: "report",
      runs: 0,
      lastJobId: null,
      nextRunAt: started + 60_000,
    });
    await pass(t, 185);
    const times = await submitted(t);
    expect(times).toHaveLength(3);
    for (const [index, time] of times.entries()) {
      expect(Math.abs(time - (index + 1) * 60_000)).toBeLessThanOrEqual(1_000);
    }
    const view = await only(t);
    expect(view).toMatchObject({ runs: 3, nextRunAt: started + 240_000 });
    const last = await t.query(queue.jobs.get, { scope, jobId: view.lastJobId ?? "" });
    expect(last).toMatchObject({ kind: "report", requester: "clock" });
  });

  it("a recurring job follows a cron expression in its time zone", async () => {
    const t = startQueue();
    // 08:02 in Greenwich is 13:32 in India.
    const schedule = { kind: "cron" as const, expression: "32 13 * * *", timeZone: "Asia/Kolkata" };
    await set(t, { schedule });
    expect((await only(t)).nextRunAt).toBe(started + 120_000);
    await pass(t, 130);
    expect(await submitted(t)).toHaveLength(1);
    expect((await only(t)).nextRunAt).toBe(started + 120_000 + 24 * 3_600_000);
  });

  it("a recurring job runs once after an outage, and then keeps its phase", async () => {
    const t = startQueue();
    await set(t);
    // Nothing runs for ten and a half intervals. Then the clock makes up for all of them.
    vi.setSystemTime(started + 630_000);
    await pass(t, 61);
    for (let round = 0; round < 40; round += 1) {
      vi.advanceTimersByTime(1);
      await t.finishInProgressScheduledFunctions();
    }
    const times = await submitted(t);
    expect(times.length).toBeGreaterThanOrEqual(1);
    expect(times.length).toBeLessThanOrEqual(2);
    const { runs, nextRunAt } = await only(t);
    expect(runs).toBe(times.length);
    expect(nextRunAt).toBeGreaterThan(Date.now());
    expect(((nextRunAt ?? 0) - started) % 60_000).toBe(0);
  });

  it("a recurring job creates one job if its call is repeated, and ignores an early call", async () => {
    const t = startQueue();
    await set(t);
    const fire = async (now: number) => {
      await t.run(async (ctx) => {
        const row = await ctx.db.query("recurring").unique();
        if (row !== null) await fireRecurring(ctx, row._id, now);
      });
    };
    await fire(started + 1);
    expect(await submitted(t)).toEqual([]);
    await fire(started + 60_000);
    await fire(started + 60_010);
    expect(await submitted(t)).toHaveLength(1);

    // As if the row's change had been lost with the answer.
    await t.run(async (ctx) => {
      const row = await ctx.db.query("recurring").unique();
      if (row !== null) await ctx.db.patch("recurring", row._id, { nextRunAt: started + 60_000 });
    });
    await fire(started + 60_020);
    expect(await submitted(t)).toHaveLength(1);
  });

  it("a recurring job rests while it is paused, and then starts again", async () => {
    const t = startQueue();
    await set(t, { paused: true });
    await pass(t, 65);
    expect(await only(t)).toMatchObject({ paused: true, nextRunAt: null, runs: 0 });
    await t.mutation(queue.recurring.setPaused, { scope, name: "daily", paused: false });
    expect((await only(t)).nextRunAt).toBe(started + 125_000);
    await pass(t, 62);
    expect((await only(t)).runs).toBe(1);
    await t.mutation(queue.recurring.setPaused, { scope, name: "daily", paused: true });
    await pass(t, 130);
    expect((await only(t)).runs).toBe(1);
  });

  it("a recurring job keeps its clock if it is set again unchanged, and takes a new schedule and job", async () => {
    const t = startQueue();
    await set(t);
    await pass(t, 30);
    await set(t, { job: { ...job, kind: "summary" } });
    expect(await only(t)).toMatchObject({ nextRunAt: started + 60_000, kind: "summary" });
    await set(t, { schedule: { kind: "interval", everyMs: 20_000 } });
    expect((await only(t)).nextRunAt).toBe(started + 50_000);
    await pass(t, 45);
    expect((await only(t)).runs).toBe(2);
  });

  it("a recurring job ends when it is removed", async () => {
    const t = startQueue();
    await set(t);
    await t.mutation(queue.recurring.remove, { scope, name: "daily" });
    await pass(t, 65);
    expect(await submitted(t)).toEqual([]);
    expect(await t.query(queue.recurring.list, { scope })).toEqual([]);
    await expect(t.mutation(queue.recurring.remove, { scope, name: "daily" })).rejects.toThrow("not_found");
  });

  it("a recurring job skips a run while its lane is draining", async () => {
    const t = startQueue();
    await set(t);
    await pass(t, 62);
    await t.run(async (ctx) => {
      const lane = await ctx.db.query("lanes").unique();
      if (lane !== null) await ctx.db.patch("lanes", lane._id, { state: "draining" });
    });
    await pass(t, 60);
    expect(await only(t)).toMatchObject({ runs: 1, nextRunAt: started + 180_000 });
  });

  it.each([
    [{ idempotencyKey: "k" }, "idempotencyKey"],
    [{ after: { jobs: [], when: "finished" as const } }, "after"],
    [{ deadlineAt: started + 1 }, "deadlineAt"],
    [{ externalId: "x" }, "externalId"],
    [{ payload: "x".repeat(600 * 1024) }, "payload"],
  ])("a recurring job can't have a job with %j", async (over, why) => {
    const t = startQueue();
    await expect(set(t, { job: { ...job, ...over } })).rejects.toThrow(why);
  });

  it("a recurring job refuses an invalid schedule", async () => {
    const t = startQueue();
    const schedule = { kind: "cron" as const, expression: "61 * * * *" };
    await expect(set(t, { schedule })).rejects.toThrow("0-59");
    expect(await t.query(queue.recurring.list, { scope })).toEqual([]);
  });
});
