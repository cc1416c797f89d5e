import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { parseExposition, valueOf } from "../../app/statistics/parse-exposition.fixture.ts";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  complete,
  countQueue,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  pass,
  secret,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
});

afterEach(closeWorld);

async function makeToken(as = session): Promise<string> {
  const token = secret("gm_");
  await t.mutation(api.console.statistics.setMetricsToken, {
    session: as,
    tokenHash: await hashSecret(token),
  });
  await pass(t, 10);
  return token;
}

const get = async (token: string | null): Promise<Response> =>
  await t.fetch("/metrics", token === null ? {} : { headers: { authorization: `Bearer ${token}` } });

const metricsOf = async (token: string) => parseExposition(await (await get(token)).text());

async function answer(): Promise<void> {
  const jobId = await submit(t, acme);
  vi.setSystemTime(Date.now() + 1_000);
  await complete(t, device, await claim(t, device, jobId));
}

it("shows an organization's jobs, tokens, credits, devices and queue to the holder of its token", async () => {
  await answer();
  await submit(t, acme);
  await countStatistics(t, acme);
  await countQueue(t);
  const token = await makeToken();
  const response = await get(token);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const metrics = parseExposition(await response.text());
  expect(valueOf(metrics, "gleaner_jobs_total", { model: modelId, outcome: "succeeded" })).toBe(1);
  expect(valueOf(metrics, "gleaner_jobs_total", { model: modelId, outcome: "failed" })).toBe(0);
  expect(valueOf(metrics, "gleaner_tokens_total", { model: modelId, type: "prompt" })).toBe(10);
  expect(valueOf(metrics, "gleaner_credits_spent_total", { model: modelId })).toBe(Number(answerMicro) / 1e6);
  expect(valueOf(metrics, "gleaner_job_wait_seconds_count", { model: modelId })).toBe(1);
  expect(valueOf(metrics, "gleaner_devices", { state: "donating" })).toBe(1);
  expect(valueOf(metrics, "gleaner_devices", { state: "offline" })).toBe(0);
  expect(valueOf(metrics, "gleaner_credits", { holder: "devices" })).toBe(Number(answerMicro) / 1e6);
  expect(valueOf(metrics, "gleaner_credits", { holder: "escrow" })).toBeGreaterThan(0);
  const depths = metrics.get("gleaner_queue_jobs")!.samples;
  expect(depths.map(({ labels, value }) => [labels["state"], value])).toEqual([
    ["ready", 1],
    ["waiting", 0],
    ["running", 0],
  ]);
});

it("counts the devices of a large fleet once a minute, and when a token is made", async () => {
  const inState = async (token: string, state: string) =>
    valueOf(await metricsOf(token), "gleaner_devices", { state });
  const token = await makeToken();
  expect(await inState(token, "donating")).toBe(1);
  expect(await inState(token, "retired")).toBe(0);
  await t.run(async (ctx) => {
    const counts = (await ctx.db.query("deviceCounts").unique())!;
    await ctx.db.patch("deviceCounts", counts._id, { states: { ...counts.states, standby: 3_000 } });
    const size = (await ctx.db.query("fleetSizes").unique())!;
    await ctx.db.patch("fleetSizes", size._id, { isLarge: true });
  });
  await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
  expect(await inState(token, "retired")).toBe(0);
  await t.mutation(internal.fleet.steps.followFleets, {});
  for (let step = 0; step < 4; step += 1) await pass(t, 10);
  expect(await inState(token, "retired")).toBe(1);
  expect(await inState(token, "donating")).toBe(0);
});

it("never lets a counter go back, also when old buckets are deleted", async () => {
  const token = await makeToken();
  let before = 0;
  for (let month = 0; month < 4; month += 1) {
    await answer();
    await countStatistics(t, acme);
    vi.setSystemTime(Date.now() + 200 * 24 * 3_600_000);
    await countStatistics(t, acme);
    const now = valueOf(await metricsOf(token), "gleaner_jobs_total", {
      model: modelId,
      outcome: "succeeded",
    });
    expect(now).toBe(before + 1);
    before = now;
  }
});

it("shows nothing without the token: not to keys, sessions, devices or earlier tokens", async () => {
  const strangers = [null, "", secret("gm_"), acme.apiKey, session, device.key];
  for (const stranger of strangers) expect((await get(stranger)).status).toBe(401);
  expect((await get(null)).headers.get("www-authenticate")).toBe("Bearer");
  const first = await makeToken();
  const second = await makeToken();
  expect((await get(first)).status).toBe(401);
  expect((await get(second)).status).toBe(200);
  expect(await t.query(api.console.statistics.metricsToken, { session })).toMatchObject({
    createdAt: Date.now() - 10,
  });
  await t.mutation(api.console.statistics.removeMetricsToken, { session });
  await t.mutation(api.console.statistics.removeMetricsToken, { session });
  expect((await get(second)).status).toBe(401);
  expect(await t.query(api.console.statistics.metricsToken, { session })).toBeNull();
});

it("shows each organization its own metrics only", async () => {
  await answer();
  await countStatistics(t, acme);
  const rival = await addOrganization(t, { name: "Rival" });
  const rivals = await signIn(t, rival);
  const token = await makeToken(rivals);
  const metrics = await metricsOf(token);
  expect(metrics.get("gleaner_jobs_total")?.samples).toEqual([]);
  expect(valueOf(metrics, "gleaner_devices", { state: "donating" })).toBe(0);
  await t.mutation(api.console.statistics.removeMetricsToken, { session });
  expect((await get(token)).status).toBe(200);
  const taken = { session, tokenHash: await hashSecret(token) };
  await expectRefusal(t.mutation(api.console.statistics.setMetricsToken, taken), "conflict");
  await expectRefusal(
    t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: token }),
    "invalid",
  );
});

it("lets the operator make and end the token, and records both", async () => {
  const { organizationId } = acme;
  const token = secret("gm_");
  await t.mutation(internal.setup.setMetricsToken, { organizationId, tokenHash: await hashSecret(token) });
  expect((await get(token)).status).toBe(200);
  await t.mutation(internal.setup.setMetricsToken, { organizationId, tokenHash: null });
  expect((await get(token)).status).toBe(401);
  const { page } = await t.query(api.console.audit.list, {
    session,
    paginationOpts: { numItems: 2, cursor: null },
  });
  expect(page.map(({ action, actor }) => [action, actor])).toEqual([
    ["metrics-token.removed", "setup"],
    ["metrics-token.created", "setup"],
  ]);
});
