import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import { Watcher } from "../../launch/farm/watcher.ts";

/** Sends a request whose client does not come back when its connection breaks. */
async function call(
  { backend, organization, modelId }: Farm,
  content: string,
  idempotencyKey: string | null,
): Promise<void> {
  const headers = {
    authorization: `Bearer ${organization.apiKey}`,
    "content-type": "application/json",
    ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
  };
  const body = JSON.stringify({ model: modelId, messages: [{ role: "user", content }] });
  await fetch(`${backend.siteUrl}/v1/chat/completions`, { method: "POST", headers, body }).catch(() => null);
}

test.each(["crash", "stop"] as const)(
  "after a backend's %s, no job is done whose call was cut off, unless it has an idempotency key",
  async (how) => {
    const farm = await startFarm();
    try {
      const prompts = demoPrompts(60).map(({ prompt }) => prompt);
      const calls = prompts.map((prompt, at) => call(farm, prompt, at < 50 ? null : randomUUID()));
      const watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
      await expect.poll(async () => (await watcher.jobs(100)).length, { timeout: 60_000 }).toBe(60);
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
