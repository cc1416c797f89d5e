import { expect, it } from "vitest";
import { forgetEvents, record } from "./model/events.ts";
import { queue, scope, startQueue } from "./testing/queue.fixture.ts";

it("lists who did what, newest first, page by page, of one scope, and bounds what it keeps", async () => {
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

it("forgets what is older than it is asked to keep, in pieces", async () => {
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
