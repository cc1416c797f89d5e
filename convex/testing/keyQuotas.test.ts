import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  allJobs,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  listKeys,
  modelId,
  type Organization,
  pass,
} from "./backend.fixture.ts";
import { ask, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let keyId: Id<"apiKeys">;
let device: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  keyId = (await listKeys(t, session))[0]!.keyId;
  device = await addDevice(t, acme);
});

afterEach(closeWorld);

type Quota = { readonly requests?: number; readonly tokens?: number; readonly micro?: bigint };

async function limit(day: Quota, month: Quota = {}): Promise<void> {
  await t.mutation(api.console.keys.setAccess, { session, keyId, quotas: { day, month } });
}

async function post(body: object, path = "/v1/chat/completions"): Promise<Response> {
  const headers = { authorization: `Bearer ${acme.apiKey}`, prefer: "respond-async" };
  return await t.fetch(path, { method: "POST", body: JSON.stringify(body), headers });
}

const chat = (maxTokens = 10) => ({ ...ask("Hi"), max_tokens: maxTokens });

async function submitted(body: object = chat()): Promise<string> {
  const response = await post(body);
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

const useNow = async () => await t.query(internal.requests.useOfKey, { keyId });

/** The work of the projector's cron, each minute. */
async function project(): Promise<void> {
  await pass(t, 3_000);
  await t.mutation(internal.maintenance.project, {});
  await runDue(t);
}

/** The start of the tests is 8:00 UTC. */
const untilMidnightMs = 16 * 3_600_000;
const quota = { code: "insufficient_quota", type: "insufficient_quota" };

describe("a quota of requests", () => {
  it("accepts requests up to it, and refuses the next one until the day ends", async () => {
    await limit({ requests: 2 });
    await submitted();
    await submitted();
    const refused = await post(chat());
    expect(refused.headers.get("retry-after")).toBe(String(untilMidnightMs / 1_000));
    expect(refused.headers.get("x-should-retry")).toBe("false");
    const message =
      "This API key has a quota of 2 requests a day: 2 requests used or reserved. The quota begins anew at 2027-01-16 00:00 UTC. An administrator can raise it.";
    await expectError(refused, 429, { ...quota, message });
    expect(await allJobs(t, acme)).toHaveLength(2);
    await pass(t, untilMidnightMs);
    await submitted();
  });

  it("counts the same before and after the projector has run", async () => {
    await limit({ requests: 3 });
    await submitted();
    const before = await useNow();
    await project();
    expect(await useNow()).toEqual(before);
    expect(before.day.requests).toBe(1);
    await submitted();
    await submitted();
    expect((await post(chat())).status).toBe(429);
  });

  it("counts a repeated idempotency key once", async () => {
    await limit({ requests: 1 });
    const headers = {
      authorization: `Bearer ${acme.apiKey}`,
      prefer: "respond-async",
      "idempotency-key": "order-1",
    };
    for (let times = 0; times < 2; times += 1) {
      const body = JSON.stringify(chat());
      const response = await t.fetch("/v1/chat/completions", { method: "POST", body, headers });
      expect(response.status).toBe(202);
    }
    expect((await useNow()).day.requests).toBe(1);
  });

  it("of a month lasts until the month ends", async () => {
    await limit({}, { requests: 1 });
    await submitted();
    await pass(t, untilMidnightMs);
    const message = expect.stringContaining("2027-02-01 00:00 UTC") as string;
    await expectError(await post(chat()), 429, { ...quota, message });
  });

  it("counts what the key did before it was set", async () => {
    await submitted();
    await limit({ requests: 1 });
    expect((await post(chat())).status).toBe(429);
  });
});

describe("a quota of tokens or credits", () => {
  it("counts the most that a job may use until its end, and then what it has used", async () => {
    const jobId = await submitted();
    const { tokens, micro } = (await useNow()).day;
    expect(tokens).toBeGreaterThan(13);
    await complete(t, device, await claim(t, device, jobId));
    expect((await useNow()).day).toEqual({ requests: 1, tokens: 13, micro: answerMicro });
    expect(micro).toBeGreaterThan(answerMicro);
    await project();
    expect((await useNow()).day).toEqual({ requests: 1, tokens: 13, micro: answerMicro });
    expect((await listKeys(t, session))[0]!.use).toBe(null);
    await limit({ tokens: 1_000 });
    expect((await listKeys(t, session))[0]!.use?.day.tokens).toBe(13);
  });

  it("gives everything back for a job that was canceled, but its request", async () => {
    const jobId = await submitted();
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    expect((await useNow()).month).toEqual({ requests: 1, tokens: 0, micro: 0n });
  });

  it("refuses a request that may need more than is left", async () => {
    await submitted();
    const { tokens, micro } = (await useNow()).day;
    await limit({ tokens: tokens * 2 });
    await submitted();
    await expectError(await post(chat()), 429, quota);
    await limit({ micro: micro * 3n });
    await submitted();
    await expectError(await post(chat()), 429, quota);
  });

  it("tells a request that alone exceeds it to ask for less, without a time", async () => {
    await limit({ tokens: 100 });
    const refused = await post(chat(1_000));
    expect(refused.headers.get("retry-after")).toBe(null);
    const message = expect.stringContaining("Ask for a shorter answer") as string;
    await expectError(refused, 429, { ...quota, message });
  });

  it("counts a job on the day of its request, also if it ends on another one", async () => {
    const jobId = await submitted();
    await pass(t, untilMidnightMs - 1_000);
    await t.mutation(api.work.hello, {
      key: device.key,
      version: "0.1.0",
      capabilities: {
        kinds: ["chat"],
        models: [modelId],
        memoryMb: 8_192,
        contextTokens: 131_072,
        concurrency: 16,
      },
      startup: false,
    });
    const attemptId = await claim(t, device, jobId);
    await pass(t, 2_000);
    await complete(t, device, attemptId);
    const { day, month } = await useNow();
    expect(day).toEqual({ requests: 0, tokens: 0, micro: 0n });
    expect(month).toEqual({ requests: 1, tokens: 13, micro: answerMicro });
  });
});

describe("a batch of a key with quotas", () => {
  async function startBatch(window: string, count = 5): Promise<void> {
    const input_file_id = await uploadFile(t, acme.apiKey, lines(count));
    const batch = { input_file_id, endpoint: "/v1/chat/completions", completion_window: window };
    expect((await post(batch, "/v1/batches")).status).toBe(200);
    await pass(t, 1);
    await runDue(t);
  }
  const batchNow = async () => (await t.run(async (ctx) => await ctx.db.query("batches").first()))!;
  const cut = async (): Promise<void> => {
    await t.action(internal.batchSteps.cut, { batchId: (await batchNow())._id });
    await runDue(t);
  };

  it("submits as many lines as are left, and the others on the next day", async () => {
    await limit({ requests: 3 });
    await submitted();
    await startBatch("24h");
    expect(await allJobs(t, acme)).toHaveLength(3);
    expect(await batchNow()).toMatchObject({ status: "in_progress", cutWaitsFor: "quota" });
    await cut();
    expect(await allJobs(t, acme)).toHaveLength(3);
    await project();
    await cut();
    expect(await allJobs(t, acme)).toHaveLength(3);
    await pass(t, untilMidnightMs);
    await cut();
    expect(await allJobs(t, acme)).toHaveLength(6);
    expect(await batchNow()).not.toHaveProperty("cutWaitsFor");
  });

  it("goes on soon after an administrator raised the quota", async () => {
    await limit({ requests: 1 });
    await startBatch("24h");
    expect(await allJobs(t, acme)).toHaveLength(1);
    await limit({ requests: 100 });
    await pass(t, 5 * 60_000);
    await runDue(t);
    expect(await allJobs(t, acme)).toHaveLength(5);
  });

  it("fails the lines for which no quota begins before its end", async () => {
    await limit({ requests: 3 });
    await startBatch("1h");
    expect(await allJobs(t, acme)).toHaveLength(3);
    const ends = await t.run(async (ctx) => await ctx.db.query("batchEnds").collect());
    expect(ends.map(({ customId, failure }) => [customId, failure])).toMatchObject([
      ["q3", { kind: "refused", code: "quota_exceeded" }],
      ["q4", { kind: "refused", code: "quota_exceeded" }],
    ]);
  });
});
