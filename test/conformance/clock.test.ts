import { ConvexHttpClient } from "convex/browser";
import { describe, expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { isEmbedded, uniqueName } from "./deployment.ts";
import { issuer } from "./issuer.ts";
import { startSteppingBackend } from "./stepping-backend.ts";

const hourMs = 3_600_000;
const patience = { timeout: 60_000, interval: 100 };

async function start() {
  const backend = await startSteppingBackend(issuer.url);
  const client = new ConvexHttpClient(backend.url, { logger: false });
  const now = async (): Promise<number> => (await client.mutation(modules.world.looks, {})).times[0]!;
  const cronRuns = (): Promise<number> => client.query(api.counters.get, { name: "cron" });
  /** Schedules a function and returns a function that waits for its run. */
  const schedule = async (delayMs: number) => {
    const channel = uniqueName();
    await client.mutation(api.later.schedule, { channel, body: "ran", delayMs });
    const ran = () => client.query(api.messages.list, { channel });
    return () => expect.poll(ran, patience).toEqual(["ran"]);
  };
  const untilCronRuns = async (): Promise<void> => {
    const before = await cronRuns();
    await expect.poll(cronRuns, patience).toBeGreaterThan(before);
  };
  return { backend, client, now, schedule, untilCronRuns };
}

describe.skipIf(!isEmbedded)("a machine's clock that steps", () => {
  test("when it goes back an hour, functions' time goes on, and scheduled functions and crons run in time", async () => {
    const { backend, now, schedule, untilCronRuns } = await start();
    await untilCronRuns();
    const earlier = await schedule(2_000);
    const before = await now();
    backend.step(-hourMs);
    await earlier();
    const after = await now();
    const metrics = await (await fetch(`${backend.url}/metrics`)).text();
    expect(Number(/^convex_embedded_clock_ahead_seconds (.*)$/m.exec(metrics)?.[1])).toBeCloseTo(3_600, -2);
    expect(after).toBeGreaterThan(before);
    expect(after - before).toBeLessThan(hourMs / 2);
    await (
      await schedule(500)
    )();
    await untilCronRuns();
  });

  test("a restart after a step back goes on from the last commit", async () => {
    const { backend, now, schedule, untilCronRuns } = await start();
    await untilCronRuns();
    const earlier = await schedule(1_000);
    const before = await now();
    backend.step(-hourMs);
    await backend.restart();
    await earlier();
    expect(await now()).toBeGreaterThanOrEqual(before);
    await untilCronRuns();
  });

  test("a step forward is taken at once, and the step back after it is not", async () => {
    const { backend, now, schedule, untilCronRuns } = await start();
    const due = await schedule(hourMs);
    const before = await now();
    backend.step(hourMs);
    await expect.poll(now, patience).toBeGreaterThanOrEqual(before + hourMs);
    await due();
    const later = await schedule(1_000);
    backend.step(0);
    await later();
    expect(await now()).toBeGreaterThan(before + hourMs);
    await untilCronRuns();
  });

  test("a user's token expires by the machine's clock, whatever functions see", async () => {
    const { backend, client, now } = await start();
    const before = await now();
    backend.step(hourMs);
    await expect.poll(now, patience).toBeGreaterThanOrEqual(before + hourMs);
    const inMinutes = (minutes: number): number => Math.floor(Date.now() / 1_000) + minutes * 60;
    const token = await issuer.token({ sub: "ann", exp: inMinutes(30) });
    const who = (): Promise<unknown> => {
      client.setAuth(token);
      return client.query(api.values.whoami, {}).catch((error: unknown) => String(error));
    };
    expect(await who()).toMatch(/Unauthenticated/);
    backend.step(0);
    await expect.poll(who, patience).toContain("ann");
    expect(await now()).toBeGreaterThan(before + hourMs);
  });
});
