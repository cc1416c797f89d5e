import { afterEach, expect, it, vi } from "vitest";
import { queue, scope, startQueue, submitJob } from "../testing/queue.fixture.ts";
import { forgetEvents, record } from "./events.ts";

afterEach(() => vi.restoreAllMocks());

it("lists the events of one scope, newest first, in pages, and shortens long fields", async () => {
  const t = startQueue();
  await t.run(async (ctx) => {
    for (const at of [1, 3, 2]) {
      const subject = at === 2 ? "x".repeat(300) : `worker ${String(at)}`;
      await record(ctx, { scope, at, actor: "ann", action: "worker.pause", subject });
    }
    await record(ctx, { scope: "other", at: 4, actor: "bob", action: "worker.pause", subject: "theirs" });
  });

  const first = await t.query(queue.events.list, { scope, paginationOpts: { numItems: 2, cursor: null } });
  expect(first.page.map(({ at }) => at)).toEqual([3, 2]);
  expect(first.page[0]).toEqual({ at: 3, actor: "ann", action: "worker.pause", subject: "worker 3" });
  expect(first.page[1]?.subject).toHaveLength(255);
  expect(first.isDone).toBe(false);

  const rest = { numItems: 2, cursor: first.continueCursor };
  const second = await t.query(queue.events.list, { scope, paginationOpts: rest });
  expect(second.page.map(({ at }) => at)).toEqual([1]);
});

it("records changes with the app's actor, and skips calls that change nothing", async () => {
  // The crons component logs its work.
  vi.spyOn(console, "log").mockReturnValue();
  const t = startQueue();
  const actor = "ann";
  const jobId = await submitJob(t);
  await t.mutation(queue.jobs.cancel, { scope, jobId, actor });
  await t.mutation(queue.jobs.cancel, { scope, jobId, actor });
  await t.mutation(queue.jobs.cancelMany, { scope, by: "key", name: "k", running: true, actor });
  const batchId = await t.mutation(queue.batches.create, { scope, externalId: "b", actor });
  await t.mutation(queue.batches.create, { scope, externalId: "b", actor });
  await t.mutation(queue.batches.seal, { scope, batchId, actor });
  await t.mutation(queue.batches.seal, { scope, batchId, actor });
  const other = await t.mutation(queue.batches.create, { scope });
  await t.mutation(queue.batches.cancel, { scope, batchId: other, actor });
  const recurring = { scope, name: "nightly", actor };
  const daily = { ...recurring, schedule: { kind: "interval" as const, everyMs: 86_400_000 } };
  const job = { kind: "hash", payload: 1 };
  await t.mutation(queue.recurring.set, { ...daily, job });
  await t.mutation(queue.recurring.set, { ...daily, job });
  await t.mutation(queue.recurring.set, { ...daily, job: { ...job, payload: 2 } });
  await t.mutation(queue.recurring.setPaused, { ...recurring, paused: true });
  await t.mutation(queue.recurring.setPaused, { ...recurring, paused: false });
  await t.mutation(queue.recurring.remove, recurring);
  const { workerId } = await t.mutation(queue.workers.register, { scope, keyHash: "h", name: "w", actor });
  await t.mutation(queue.workers.register, { scope, keyHash: "h", name: "w", actor });
  await t.mutation(queue.workers.update, { scope, workerId, name: "v", actor });
  await t.mutation(queue.settings.configure, { scope, values: { maxQueued: 5 }, actor });
  const events = await t.run(async (ctx) => await ctx.db.query("events").collect());
  expect(events.map((event) => `${event.actor} ${event.action} ${event.subject}`)).toEqual([
    `ann job.cancel ${jobId}`,
    "ann job.cancelMany key k",
    `ann batch.create ${batchId}`,
    `ann batch.seal ${batchId}`,
    `app batch.create ${other}`,
    `ann batch.cancel ${other}`,
    "ann recurring.set nightly",
    "ann recurring.set nightly",
    "ann recurring.pause nightly",
    "ann recurring.resume nightly",
    "ann recurring.remove nightly",
    `ann worker.registered ${workerId}`,
    `ann worker.changed ${workerId}`,
    "ann settings.configure maxQueued",
  ]);
});

it("deletes old events in pieces", async () => {
  const t = startQueue();
  await t.run(async (ctx) => {
    for (let at = 0; at < 600; at += 1) {
      await record(ctx, { scope, at, actor: "ann", action: "worker.pause", subject: "w" });
    }
  });
  const forget = async (before: number) => await t.run(async (ctx) => await forgetEvents(ctx, before));
  const count = async () => (await t.run(async (ctx) => await ctx.db.query("events").collect())).length;
  expect(await forget(Date.now() - 60_000)).toBe(false);
  expect(await count()).toBe(600);
  expect(await forget(Date.now() + 60_000)).toBe(true);
  expect(await forget(Date.now() + 60_000)).toBe(false);
  expect(await count()).toBe(0);
});

it.each(["", "no list", "{}", '[{"$integer":1}]', `[${'"a",'.repeat(4_000)}1]`])(
  "refuses %s as a cursor, since the list never returned it",
  async (cursor) => {
    const t = startQueue();
    const refusal = {
      data: { code: "invalid", message: expect.stringContaining("Start with null") as string },
    };
    const page = { numItems: 2, cursor };
    await expect(t.query(queue.events.list, { scope, paginationOpts: page })).rejects.toMatchObject(refusal);
    const end = { numItems: 2, cursor: null, endCursor: cursor };
    await expect(t.query(queue.events.list, { scope, paginationOpts: end })).rejects.toMatchObject(refusal);
  },
);
