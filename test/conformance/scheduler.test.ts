import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

test("a scheduled mutation runs once, and not before its time", async () => {
  const channel = uniqueName();
  const client = liveClient();
  const seen = watch(client, api.messages.list, { channel });
  const started = Date.now();
  // Longer than a query takes on a busy machine.
  const delayMs = 2_000;
  const id = await client.mutation(api.later.schedule, { channel, body: "later", delayMs });
  expect(await client.query(api.later.state, { id })).toBe("pending");
  await seen.until((messages) => messages.length > 0);
  expect(Date.now() - started).toBeGreaterThanOrEqual(delayMs - 5);
  await watch(client, api.later.state, { id }).until((state) => state === "success");
  await sleep(300);
  expect(await client.query(api.messages.list, { channel })).toEqual(["later"]);
});

test("a canceled function does not run", async () => {
  const channel = uniqueName();
  const client = httpClient();
  // A busy machine may need longer than the delay before it cancels. A longer delay then shows whether it can.
  const cancelInTime = async (delayMs: number): Promise<number> => {
    const id = await client.mutation(api.later.schedule, { channel, body: `never, ${delayMs}`, delayMs });
    await client.mutation(api.later.cancel, { id });
    const state = await client.query(api.later.state, { id });
    if (state === "success" && delayMs < 16_000) return await cancelInTime(delayMs * 4);
    expect(state).toBe("canceled");
    return delayMs;
  };
  const delayMs = await cancelInTime(1_000);
  await sleep(delayMs + 300);
  expect(await client.query(api.messages.list, { channel })).not.toContain(`never, ${delayMs}`);
});

test("functions that a failed mutation scheduled do not run", async () => {
  const channel = uniqueName();
  const client = httpClient();
  await expect(client.mutation(api.later.scheduleThenFail, { channel })).rejects.toThrow();
  await sleep(300);
  expect(await client.query(api.messages.list, { channel })).toEqual([]);
});
