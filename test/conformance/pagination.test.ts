import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

const first = (numItems: number) => ({ numItems, cursor: null });

test("consecutive pages have no gap and no overlap", async () => {
  const client = httpClient();
  const channel = uniqueName();
  await client.mutation(api.messages.sendMany, { channel, count: 25 });
  const read: number[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 10; pages++) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(cursor);
    read.push(...page.page.map(({ n }) => n));
    cursor = page.continueCursor;
    if (page.isDone) break;
  }
  expect(read).toEqual(Array.from({ length: 25 }, (_, n) => n));

  function readPage(from: string | null) {
    return client.query(api.messages.page, { channel, paginationOpts: { numItems: 10, cursor: from } });
  }
});

test("a watched page keeps its end, and inserts make it longer", async () => {
  const client = liveClient();
  const channel = uniqueName();
  await client.mutation(api.messages.sendMany, { channel, count: 6 });
  const seen = watch(client, api.messages.page, { channel, paginationOpts: first(3) });
  const before = await seen.until(() => true);
  expect(before.page.map(({ n }) => n)).toEqual([0, 1, 2]);
  await client.mutation(api.messages.send, { channel, body: "between", n: 1.5 });
  const after = await seen.until(({ page }) => page.length === 4);
  expect(after.page.map(({ n }) => n)).toEqual([0, 1, 1.5, 2]);
  const second = await client.query(api.messages.page, {
    channel,
    paginationOpts: { numItems: 3, cursor: after.continueCursor },
  });
  expect(second.page.map(({ n }) => n)).toEqual([3, 4, 5]);
});

test("a later subscriber gets a first page of the requested length, not one that has grown", async () => {
  const [early, late] = [liveClient(), liveClient()];
  const channel = uniqueName();
  const paginationOpts = first(3);
  await early.mutation(api.messages.sendMany, { channel, count: 6 });
  const seen = watch(early, api.messages.page, { channel, paginationOpts });
  await seen.until(() => true);
  await early.mutation(api.messages.send, { channel, body: "between", n: 1.5 });
  await seen.until(({ page }) => page.length === 4);
  const fresh = await watch(late, api.messages.page, { channel, paginationOpts }).until(() => true);
  expect(fresh.page.map(({ n }) => n)).toEqual([0, 1, 1.5]);
});

test("equal pages of two clients show the same run, from the first page on", async () => {
  const [early, late] = [liveClient(), liveClient()];
  const channel = uniqueName();
  const args = { channel, paginationOpts: first(3) };
  await early.mutation(api.messages.sendMany, { channel, count: 6 });
  const [ofEarly, ofLate] = [early, late].map((client) => watch(client, modules.messages.pageWithRun, args));
  const before = await Promise.all([ofEarly!, ofLate!].map((seen) => seen.until(() => true)));
  expect(before[0]).toEqual(before[1]);
  await early.mutation(api.messages.send, { channel, body: "between", n: 1.5 });
  const after = await Promise.all([ofEarly!, ofLate!].map((seen) => seen.until(({ count }) => count === 4)));
  expect(after[0]).toEqual(after[1]);
});

test("a client that comes later shares the run of an equal page", async () => {
  const [early, late] = [liveClient(), liveClient()];
  const channel = uniqueName();
  const args = { channel, paginationOpts: first(3) };
  await early.mutation(api.messages.sendMany, { channel, count: 6 });
  const ofEarly = watch(early, modules.messages.pageWithRun, args);
  const before = await ofEarly.until(() => true);
  const ofLate = watch(late, modules.messages.pageWithRun, args);
  expect(await ofLate.until(() => true)).toEqual(before);
  await early.mutation(api.messages.send, { channel, body: "between", n: 1.5 });
  const grown = await ofEarly.until(({ count }) => count === 4);
  expect(await ofLate.until(({ count }) => count === 4)).toEqual(grown);
});

test("a page whose rows are the same after a write is not sent again", async () => {
  const client = liveClient();
  const channel = uniqueName();
  await client.mutation(api.messages.sendMany, { channel, count: 6 });
  const seen = watch(client, api.messages.page, { channel, paginationOpts: first(2) });
  await seen.until(() => true);
  let updates = 0;
  client.client.addOnTransitionHandler(({ queries }) => (updates += queries.length));
  for (let round = 0; round < 3; round++) {
    await httpClient().mutation(modules.messages.rewrite, { channel });
    await sleep(100);
  }
  expect(updates).toBe(0);
  await client.mutation(api.messages.send, { channel, body: "between", n: 0.5 });
  expect([updates, seen.values.length]).toEqual([1, 2]);
});
