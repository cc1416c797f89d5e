import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { usageOf } from "../../bench/support/usage.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { addMuteDevice } from "../fuzz/mute-device.ts";

/** Calls that wait for a device that takes no jobs, at a running backend. */
let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
  await addMuteDevice(farm);
});

afterAll(async () => {
  await farm.close();
});

async function runsOf(name: string): Promise<number> {
  const { functions } = await usageOf(farm.backend.url, farm.adminKey);
  return functions.find((each) => each.function === `requests.js:${name}`)?.runs ?? 0;
}

test.each([false, true])(
  "a waiting call asks hardly ever, and its job is canceled when its client leaves (stream: %s)",
  async (stream) => {
    // A whole call's job is canceled a little later, if its client does not ask again.
    const ends = stream ? "cancelAdmitted" : "leaveAdmitted";
    const names = ["submit", "watchAdmitted", ends];
    const before = await Promise.all(names.map(runsOf));
    const more = async (): Promise<readonly number[]> =>
      (await Promise.all(names.map(runsOf))).map((runs, index) => runs - before[index]!);
    const leave = new AbortController();
    const call = fetch(`${farm.backend.siteUrl}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${farm.organization.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: farm.modelId, messages: [{ role: "user", content: "Hi" }], stream }),
      signal: leave.signal,
    }).then(async (response) => await response.text());
    const ended = expect(call).rejects.toThrow();
    await expect.poll(() => runsOf("submit")).toBe(before[0]! + 1);
    await sleep(8_000);
    const [, watched] = await more();
    expect(watched).toBeLessThanOrEqual(3);
    leave.abort();
    await ended;
    await expect.poll(() => runsOf(ends)).toBe(before[2]! + 1);
  },
);
