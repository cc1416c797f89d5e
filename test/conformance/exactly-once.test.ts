import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { startFlakyProxy } from "./flaky-proxy.ts";
import { watch } from "./watch.ts";

async function settled(name: string, value: number): Promise<void> {
  while ((await httpClient().query(api.counters.get, { name })) < value) await sleep(20);
}

test("a mutation with a lost answer is answered after the reconnect, not run again", async () => {
  const name = uniqueName();
  const proxy = await startFlakyProxy(deployment.url);
  const client = liveClient(proxy.url);
  const seen = watch(client, api.counters.get, { name });
  await seen.until((value) => value === 0);
  proxy.dropAnswers();
  const answer = client.mutation(api.counters.increment, { name });
  await settled(name, 1);
  proxy.cut();
  expect(await answer).toBe(1);
  expect(await httpClient().query(api.counters.get, { name })).toBe(1);
  expect(await seen.until((value) => value === 1)).toBe(1);
});

test("queued mutations run once and in order despite several cuts", async () => {
  const name = uniqueName();
  const proxy = await startFlakyProxy(deployment.url);
  const client = liveClient(proxy.url);
  await watch(client, api.counters.get, { name }).until((value) => value === 0);
  const answers = Promise.all(
    Array.from({ length: 30 }, () => client.mutation(api.counters.increment, { name })),
  );
  for (let cuts = 0; cuts < 3; cuts++) {
    await sleep(15);
    proxy.cut();
    await sleep(150);
  }
  expect(await answers).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  expect(await httpClient().query(api.counters.get, { name })).toBe(30);
});

test("a subscription gets missed changes after a cut", async () => {
  const channel = uniqueName();
  const proxy = await startFlakyProxy(deployment.url);
  const seen = watch(liveClient(proxy.url), api.messages.list, { channel });
  await seen.until(() => true);
  proxy.cut();
  await httpClient().mutation(api.messages.send, { channel, body: "while you were away" });
  expect(await seen.until((messages) => messages.length === 1)).toEqual(["while you were away"]);
});

test("an action fails when its connection is lost, instead of running twice", async () => {
  const name = uniqueName();
  const proxy = await startFlakyProxy(deployment.url);
  const client = liveClient(proxy.url);
  await watch(client, api.counters.get, { name }).until(() => true);
  proxy.dropAnswers();
  const answer = client.action(api.counters.incrementTwice, { name });
  await settled(name, 2);
  proxy.cut();
  await expect(answer).rejects.toThrow("Connection lost while action was in flight");
  expect(await httpClient().query(api.counters.get, { name })).toBe(2);
});
