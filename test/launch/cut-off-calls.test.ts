import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import { Watcher } from "../../launch/farm/watcher.ts";

/** A farm whose only device is asleep. Without any device, calls are refused at once. */
async function startSleepingFarm(): Promise<Farm> {
  const farm = await startFarm();
  await (await farm.startDonor("asleep")).stop();
  return farm;
}

/** Sends a request whose client does not come back when its connection breaks. Returns what it got. */
async function call(
  { backend, organization, modelId }: Farm,
  content: string,
  idempotencyKey: string | null,
  stream = false,
): Promise<string> {
  const headers = {
    authorization: `Bearer ${organization.apiKey}`,
    "content-type": "application/json",
    ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
  };
  const body = JSON.stringify({ model: modelId, messages: [{ role: "user", content }], stream });
  return await fetch(`${backend.siteUrl}/v1/chat/completions`, { method: "POST", headers, body }).then(
    async (response) => `${String(response.status)} ${await response.text()}`,
    () => "",
  );
}

test.each(["crash", "stop"] as const)(
  "after a backend's %s, no job is done whose call was cut off, unless it has an idempotency key",
  async (how) => {
    const farm = await startSleepingFarm();
    try {
      const prompts = demoPrompts(60).map(({ prompt }) => prompt);
      const calls = prompts.map((prompt, at) => call(farm, prompt, at < 50 ? null : randomUUID()));
      const watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
      await expect.poll(async () => (await watcher.jobs(100)).length).toBe(60);
      await farm.restartBackend(how);
      await Promise.all(calls);
      await farm.startDonor("late");
      const statuses = async () => (await watcher.jobs(100)).map(({ status }) => status).sort();
      await expect
        .poll(statuses, { timeout: 120_000, interval: 500 })
        .toEqual([...Array<string>(50).fill("canceled"), ...Array<string>(10).fill("succeeded")]);
      expect(ledgerFaults(await farm.setup.ledgerCheck())).toEqual([]);
      await watcher.close();
    } finally {
      await farm.close();
    }
  },
);

test("a stop tells calls and open streams to send their requests again", async () => {
  const farm = await startSleepingFarm();
  try {
    const watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
    const whole = call(farm, "Hi", null);
    const kept = call(farm, "Hi", randomUUID());
    const stream = call(farm, "Hi", null, true);
    await expect.poll(async () => (await watcher.jobs(10)).length).toBe(3);
    // The status line of a stream is sent after three seconds.
    await sleep(4_000);
    await farm.restartBackend("stop");
    expect(await whole).toMatch(/^503 .*"code":"server_stopping"/);
    expect(await kept).toMatch(/^503 .*same Idempotency-Key/);
    expect(await stream).toMatch(/^200 data: [^]*"code":"server_stopping"[^]*$/);
    await expect
      .poll(async () => (await watcher.jobs(10)).map(({ status }) => status).sort())
      .toEqual(["canceled", "canceled", "ready"]);
    await watcher.close();
  } finally {
    await farm.close();
  }
});

test("second opinions that nobody waits for are compared, though the backend crashed before and between them", async () => {
  const farm = await startSleepingFarm();
  try {
    const { backend, organization, modelId } = farm;
    const headers = { authorization: `Bearer ${organization.apiKey}`, "content-type": "application/json" };
    const messages = [{ role: "user", content: "What is the capital of Norway?" }];
    const asked = await fetch(`${backend.siteUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, prefer: "respond-async" },
      body: JSON.stringify({ model: modelId, messages, max_tokens: 16, x_gleaner: { votes: 3 } }),
    });
    expect(asked.status).toBe(202);
    const location = asked.headers.get("location") ?? "";
    const callNow = async () =>
      (await (await fetch(`${farm.backend.siteUrl}${location}`, { headers })).json()) as {
        readonly status: string;
      };
    await farm.restartBackend("crash");
    expect(await callNow()).toMatchObject({ status: "queued" });
    await farm.startDonor("late");
    await expect.poll(async () => (await callNow()).status, { timeout: 60_000 }).not.toBe("queued");
    await farm.restartBackend("crash");
    await expect
      .poll(async () => (await callNow()).status, { timeout: 120_000, interval: 500 })
      .toBe("succeeded");
    const result = await fetch(`${farm.backend.siteUrl}${location}/result`, { headers });
    expect(await result.json()).toMatchObject({
      object: "chat.completion",
      x_gleaner: { votes: 1, agreed: 1, escalated: false },
    });
    expect(ledgerFaults(await farm.setup.ledgerCheck())).toEqual([]);
  } finally {
    await farm.close();
  }
});
