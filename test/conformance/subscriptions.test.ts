import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

test("a subscription gets existing data, then each write", async () => {
  const channel = uniqueName();
  const seen = watch(liveClient(), api.messages.list, { channel });
  await seen.until((messages) => messages.length === 0);
  await httpClient().mutation(api.messages.send, { channel, body: "hello" });
  await seen.until((messages) => messages.length === 1);
  expect(seen.values).toEqual([[], ["hello"]]);
});

test("a query runs again only after a write to its read set", async () => {
  const [mine, other] = [uniqueName(), uniqueName()];
  const client = liveClient();
  const seen = watch(client, api.messages.listWithRun, { channel: mine });
  const first = await seen.until(() => true);
  await client.mutation(api.messages.send, { channel: other, body: "not for you" });
  await client.mutation(api.counters.increment, { name: mine });
  await sleep(300);
  expect(seen.values).toEqual([first]);
  await client.mutation(api.messages.send, { channel: mine, body: "for you" });
  const second = await seen.until(({ count }) => count === 1);
  expect(second.run).not.toBe(first.run);
  expect(seen.values).toHaveLength(2);
});

test("equal subscriptions of two clients show the same run", async () => {
  const channel = uniqueName();
  const [a, b] = [liveClient(), liveClient()];
  const [ofA, ofB] = [a, b].map((client) => watch(client, api.messages.listWithRun, { channel }));
  await Promise.all([ofA!.until(() => true), ofB!.until(() => true)]);
  await a.mutation(api.messages.send, { channel, body: "x" });
  const [one, two] = await Promise.all([ofA!, ofB!].map((seen) => seen.until(({ count }) => count === 1)));
  expect(one).toEqual(two);
});

test("queries include a mutation's effect once its promise resolves", async () => {
  const channel = uniqueName();
  const client = liveClient();
  const seen = watch(client, api.messages.list, { channel });
  await seen.until(() => true);
  for (let n = 1; n <= 10; n++) {
    await client.mutation(api.messages.send, { channel, body: String(n), n });
    expect(seen.values.at(-1)).toHaveLength(n);
  }
});

test("a mutation that changes no watched query resolves too", async () => {
  const client = liveClient();
  const name = uniqueName();
  expect(await client.mutation(api.counters.increment, { name })).toBe(1);
  expect(await client.mutation(api.counters.increment, { name })).toBe(2);
});

test("all queries of a client see a transaction as a whole and at once", async () => {
  const channel = uniqueName();
  const client = liveClient();
  const list = watch(client, api.messages.list, { channel });
  const count = watch(client, api.messages.listWithRun, { channel });
  await Promise.all([list.until(() => true), count.until(() => true)]);
  const mismatches: number[] = [];
  const stop = client.onUpdate(api.messages.list, { channel }, (messages) => {
    const together = client.client.localQueryResult("messages:listWithRun", { channel }) as { count: number };
    if (together.count !== messages.length) mismatches.push(messages.length);
  });
  const writer = httpClient();
  for (let round = 0; round < 10; round++)
    await writer.mutation(api.messages.sendMany, { channel, count: 3 });
  await list.until((messages) => messages.length === 30);
  stop();
  expect(mismatches).toEqual([]);
  expect(list.values.map((messages) => messages.length % 3)).not.toContain(1);
  expect(list.values.map((messages) => messages.length % 3)).not.toContain(2);
});

test("mutations of one client run in the order in which they were called", async () => {
  const name = uniqueName();
  const client = liveClient();
  const results = await Promise.all(
    Array.from({ length: 20 }, () => client.mutation(api.counters.increment, { name })),
  );
  expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});

test("an unsubscribed client gets no more updates and can subscribe again", async () => {
  const channel = uniqueName();
  const client = liveClient();
  const seen = watch(client, api.messages.list, { channel });
  await seen.until(() => true);
  seen.stop();
  await client.mutation(api.messages.send, { channel, body: "x" });
  await sleep(100);
  expect(seen.values).toEqual([[]]);
  expect(await watch(client, api.messages.list, { channel }).until(() => true)).toEqual(["x"]);
});

test("a result of several megabytes arrives whole", async () => {
  const channel = uniqueName();
  const client = liveClient();
  await client.mutation(api.messages.sendMany, { channel, count: 7, size: 900_000 });
  const messages = await watch(client, api.messages.list, { channel }).until(() => true);
  expect(messages.map((body) => body.length)).toEqual(Array.from({ length: 7 }, () => 900_000));
});
