import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { webhookEvents } from "../../app/webhooks/events.ts";
import { retryPausesMs } from "../../app/webhooks/schedule.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  answer,
  type Backend,
  claim,
  complete,
  completeWith,
  type Device,
  expectRefusal,
  fail,
  listKeys,
  type Organization,
  signIn,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { collectEnds, line, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";
import { addWebhook, deliver, type Receiver, startReceiver } from "./webhook.fixture.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
let receiver: Receiver;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date", "setTimeout", "clearTimeout"] });
  vi.stubEnv("CONVEX_SITE_URL", "http://127.0.0.1:3211");
  t = startBackend();
  acme = await addOrganization(t);
  session = await signIn(t, acme);
  // These tests last for weeks. A use in the far future keeps the session from being idle.
  await t.run(async (ctx) => {
    const { _id: sessionId } = (await ctx.db.query("sessions").first())!;
    await ctx.db.patch("sessions", sessionId, { expiresAt: Number.MAX_SAFE_INTEGER });
    for (const { _id } of await ctx.db.query("sessionUses").collect())
      await ctx.db.delete("sessionUses", _id);
    await ctx.db.insert("sessionUses", { sessionId, at: Date.now() + 100 * dayMs });
  });
  device = await addDevice(t, acme);
  receiver = await startReceiver();
});

afterEach(() => {
  receiver.close();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const types = (): readonly string[] => receiver.messages.map(({ event }) => event.type);

const listed = async () => (await t.query(api.console.webhooks.endpoints.list, { session }))[0]!;

async function deliveries(webhookId: Id<"webhooks">, state?: "pending" | "delivered" | "failed") {
  const of = { session, webhookId, ...(state === undefined ? {} : { state }) };
  const paginationOpts = { numItems: 50, cursor: null };
  return (await t.query(api.console.webhooks.deliveries.list, { ...of, paginationOpts })).page;
}

async function finishJob(options: Parameters<typeof submit>[2] = {}): Promise<string> {
  const jobId = await submit(t, acme, options);
  await complete(t, device, await claim(t, device, jobId));
  return jobId;
}

const rows = async (): Promise<Doc<"webhookDeliveries">[]> =>
  await t.run(async (ctx) => await ctx.db.query("webhookDeliveries").collect());

describe("ends of jobs", () => {
  it("are told with ids only, signed so that OpenAI's package verifies them", async () => {
    const { secret } = await addWebhook(t, session, receiver.url, ["job.completed", "response.completed"]);
    const content = "a prompt that nobody tells";
    const jobId = await submit(t, acme, { content });
    await complete(t, device, await claim(t, device, jobId), { text: "an answer that nobody tells" });
    await deliver(t);
    expect(types()).toEqual(["job.completed", "response.completed"]);
    const client = new OpenAI({ apiKey: "none", webhookSecret: secret });
    for (const { body, headers } of receiver.messages) {
      expect(body).not.toContain("nobody tells");
      const event = await client.webhooks.unwrap(body, headers);
      expect(event).toMatchObject({ object: "event", created_at: Math.floor(Date.now() / 1_000) - 1 });
      expect(event.id).toBe(headers["webhook-id"]);
      await expect(client.webhooks.unwrap(`${body} `, headers as Record<string, string>)).rejects.toThrow(
        "does not match",
      );
    }
    expect(receiver.messages.map(({ event }) => event.data)).toEqual([
      { id: jobId, status: "succeeded" },
      { id: `resp_${jobId}` },
    ]);
  });

  it("have an event for each way to end, and only chats that outlive their call are responses", async () => {
    await addWebhook(t, session, receiver.url, [...webhookEvents]);
    await finishJob({ endsWithCall: true });
    const cut = await submit(t, acme);
    const whole = answer("word ".repeat(64), { promptTokens: 10, completionTokens: 64 });
    const cutAnswer = { ...whole, result: { ...whole.result, finishReason: "length" as const } };
    await completeWith(t, device, await claim(t, device, cut), cutAnswer);
    const failed = await submit(t, acme);
    await fail(t, device, await claim(t, device, failed), { retryable: false });
    const canceled = await submit(t, acme);
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId: canceled });
    await deliver(t);
    expect([...types()].sort()).toEqual([
      "job.canceled",
      "job.completed",
      "job.completed",
      "job.failed",
      "response.cancelled",
      "response.failed",
      "response.incomplete",
    ]);
  });

  it("write nothing where no webhook wants them, and are only told about the chosen key", async () => {
    const keyId = (await listKeys(t, session))[0]!.keyId;
    await addWebhook(t, session, receiver.url, ["job.failed"]);
    await addWebhook(t, session, receiver.url, ["job.completed"], { name: "Of the key", apiKeyId: keyId });
    await finishJob();
    expect(await rows()).toHaveLength(1);
    const other = await t.run(async (ctx) => {
      const { _id, _creationTime, ...key } = (await ctx.db.query("apiKeys").first())!;
      return await ctx.db.insert("apiKeys", { ...key, keyHash: "other", name: "other" });
    });
    const webhookId = (await t.query(api.console.webhooks.endpoints.list, { session }))[1]!.webhookId;
    const settings = { name: "x", url: receiver.url, events: ["job.completed" as const] };
    await t.mutation(api.console.webhooks.endpoints.change, {
      session,
      webhookId,
      ...settings,
      apiKeyId: other,
    });
    await finishJob();
    expect(await rows()).toHaveLength(1);
  });
});

describe("batches", () => {
  it("are told by their end, and their requests are not", async () => {
    await addWebhook(t, session, receiver.url, [...webhookEvents]);
    const start = async (content: string): Promise<string> => {
      const input = await uploadFile(t, acme.apiKey, content);
      const body = { input_file_id: input, endpoint: "/v1/chat/completions", completion_window: "24h" };
      const headers = { authorization: `Bearer ${acme.apiKey}` };
      const response = await t.fetch("/v1/batches", { method: "POST", headers, body: JSON.stringify(body) });
      const { id } = (await response.json()) as { id: string };
      await runDue(t);
      return id;
    };
    const done = await start(lines(2));
    for (let n = 0; n < 2; n += 1)
      await takeJob(t, device, async ({ prompt, complete: answerJob }) => await answerJob(`To: ${prompt}`));
    await collectEnds(t);
    const wrong = await start("{}");
    const canceled = await start(line("one"));
    await t.fetch(`/v1/batches/${canceled}/cancel`, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}` },
    });
    await collectEnds(t);
    await deliver(t);
    expect(receiver.messages.map(({ event: { type, data } }) => [type, data["id"]]).sort()).toEqual([
      ["batch.cancelled", canceled],
      ["batch.completed", done],
      ["batch.failed", wrong],
    ]);
  });
});

describe("deliveries", () => {
  it("are tried again with longer pauses, with one id, and each try is shown", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    receiver.answers.push(
      { status: 500, body: "x".repeat(5_000) },
      { status: 302, headers: { location: receiver.url } },
      { status: 429, headers: { "retry-after": "7200" } },
    );
    await finishJob();
    await deliver(t);
    expect(await listed()).toMatchObject({
      retrying: 1,
      last: { error: "It answered with status 500 instead of a success." },
    });
    await deliver(t, 3_000);
    expect(receiver.messages).toHaveLength(1);
    await deliver(t, 4_000);
    expect(await listed()).toMatchObject({
      last: { error: "It answered with a redirect, which is not followed." },
    });
    await deliver(t, 7 * 60_000);
    expect(receiver.messages).toHaveLength(3);
    await deliver(t, hourMs);
    expect(receiver.messages).toHaveLength(3);
    await deliver(t, hourMs + 60_000);
    expect(receiver.messages).toHaveLength(4);
    expect(new Set(receiver.messages.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await listed()).toMatchObject({ retrying: 0, last: { error: null } });
    const [delivery] = await deliveries(webhookId);
    expect(delivery).toMatchObject({ state: "delivered", dueAt: null, type: "job.completed" });
    expect(delivery!.attempts.map(({ status }) => status)).toEqual([500, 302, 429, 200]);
    expect(delivery!.attempts[0]!.answer).toBe("x".repeat(1_000));
  });

  it("count as failed if the receiver switches to another protocol", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.write("HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
    await addWebhook(t, session, url, ["job.completed"]);
    await finishJob();
    await deliver(t);
    expect(await listed()).toMatchObject({
      retrying: 1,
      last: { error: "It answered with another protocol." },
    });
    server.close();
  });

  it("fail after the last try, and are sent again by hand: one, or all since a time", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    receiver.answers.push(...Array.from({ length: 100 }, () => ({ status: 503 })));
    await finishJob();
    await deliver(t);
    const begun = Date.now();
    await finishJob();
    for (const pause of [0, ...retryPausesMs]) await deliver(t, 1.3 * pause + 1_000);
    expect(receiver.messages).toHaveLength(2 * (1 + retryPausesMs.length));
    const failed = await deliveries(webhookId, "failed");
    expect(failed).toHaveLength(2);
    expect(await listed()).toMatchObject({ retrying: 0, disabled: null });
    receiver.answers.length = 0;
    const { deliveryId } = failed[1]!;
    await t.mutation(api.console.webhooks.deliveries.resend, { session, deliveryId });
    await deliver(t);
    expect((await deliveries(webhookId, "delivered")).map((row) => row.deliveryId)).toEqual([deliveryId]);
    await t.mutation(api.console.webhooks.deliveries.resendFailed, { session, webhookId, since: begun });
    await deliver(t);
    expect(await deliveries(webhookId, "failed")).toEqual([]);
    expect(receiver.messages.at(-1)!.headers["webhook-id"]).toBe(failed[0]!.eventId);
  });

  it("do not go to another address that the webhook gets meanwhile, unless somebody sends them again", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    receiver.answers.push({ status: 500 });
    await finishJob();
    await deliver(t);
    await finishJob();
    const second = await startReceiver();
    const settings = { name: "Hook", url: second.url, events: ["job.completed" as const], apiKeyId: null };
    await t.mutation(api.console.webhooks.endpoints.change, { session, webhookId, ...settings });
    await deliver(t, 10_000);
    expect([receiver.messages.length, second.messages.length]).toEqual([1, 0]);
    const failed = await deliveries(webhookId, "failed");
    expect(failed.map(({ attempts }) => attempts.at(-1)?.error)).toEqual([
      expect.stringContaining("address of the webhook was changed"),
      expect.stringContaining("address of the webhook was changed"),
    ]);
    expect(await listed()).toMatchObject({ retrying: 0 });
    await t.mutation(api.console.webhooks.deliveries.resendFailed, { session, webhookId, since: 0 });
    await deliver(t);
    expect(second.messages.map(({ event }) => event.type)).toEqual(["job.completed", "job.completed"]);
    second.close();
  });

  it("of other API keys do not go to a webhook that is given to one meanwhile", async () => {
    const keyId = (await listKeys(t, session))[0]!.keyId;
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    const other = await t.run(async (ctx) => {
      const { _id, _creationTime, ...key } = (await ctx.db.query("apiKeys").first())!;
      return await ctx.db.insert("apiKeys", { ...key, keyHash: "other", name: "other" });
    });
    const jobId = await finishJob();
    const settings = { name: "Hook", url: receiver.url, events: ["job.completed" as const] };
    const give = async (apiKeyId: Id<"apiKeys">) =>
      await t.mutation(api.console.webhooks.endpoints.change, { session, webhookId, ...settings, apiKeyId });
    await give(other);
    await deliver(t);
    expect(receiver.messages).toEqual([]);
    const [{ deliveryId, attempts } = { attempts: [] }] = await deliveries(webhookId, "failed");
    expect(attempts.at(-1)?.error).toContain("given to another API key");
    await expectRefusal(
      t.mutation(api.console.webhooks.deliveries.resend, { session, deliveryId: deliveryId! }),
      "conflict",
    );
    await give(keyId);
    await t.mutation(api.console.webhooks.deliveries.resend, { session, deliveryId: deliveryId! });
    await deliver(t);
    expect(receiver.messages.map(({ event }) => event.data["id"])).toEqual([jobId]);
    await finishJob();
    await give(other);
    await deliver(t);
    await t.mutation(api.console.webhooks.deliveries.resendFailed, { session, webhookId, since: 0 });
    await deliver(t);
    expect(receiver.messages).toHaveLength(1);
    expect(await deliveries(webhookId, "failed")).toEqual([]);
  });

  it("are sent by one run, also if many events come at once, and no run stays behind", async () => {
    await addWebhook(t, session, receiver.url, ["job.completed"]);
    for (let n = 0; n < 70; n += 1) await finishJob();
    await deliver(t);
    expect(receiver.messages).toHaveLength(70);
    const pumps = await t.run(async (ctx) => await ctx.db.query("webhookPumps").collect());
    expect(pumps.map(({ wakeAt, full }) => [wakeAt, full])).toEqual([[undefined, false]]);
  });

  it("go on after a run was cut off", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    await finishJob();
    // The run of this time never comes.
    await t.run(async (ctx) => {
      const pump = (await ctx.db.query("webhookPumps").first())!;
      await ctx.db.patch("webhookPumps", pump._id, { wakeAt: Date.now() - 1 });
    });
    await deliver(t);
    expect(receiver.messages).toHaveLength(0);
    vi.setSystemTime(Date.now() + 10 * 60_000);
    await t.mutation(internal.webhooks.steps.resume, {});
    await deliver(t);
    expect(receiver.messages).toHaveLength(1);
    expect(await deliveries(webhookId, "pending")).toEqual([]);
  });

  it("are deleted after 30 days, and at once with their webhook", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    await finishJob();
    await deliver(t);
    vi.setSystemTime(Date.now() + 29 * dayMs);
    await t.mutation(internal.webhooks.steps.sweep, {});
    expect(await rows()).toHaveLength(1);
    vi.setSystemTime(Date.now() + 2 * dayMs);
    await t.mutation(internal.webhooks.steps.sweep, {});
    expect(await rows()).toHaveLength(0);
    await finishJob();
    await t.mutation(api.console.webhooks.endpoints.remove, { session, webhookId });
    await deliver(t);
    const left = await t.run(async (ctx) => [
      ...(await ctx.db.query("webhookDeliveries").collect()),
      ...(await ctx.db.query("webhookPumps").collect()),
      ...(await ctx.db.query("webhookStates").collect()),
    ]);
    expect(left).toEqual([]);
  });
});

describe("a receiver that fails", () => {
  it("is disabled after five days, which needs attention, and can be enabled again", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    receiver.answers.push(...Array.from({ length: 100 }, () => ({ status: 500 })));
    await finishJob();
    for (const pause of [0, ...retryPausesMs]) await deliver(t, 1.3 * pause + 1_000);
    vi.setSystemTime(Date.now() + 2 * dayMs);
    expect((await listed()).disabled).toBeNull();
    await finishJob();
    await deliver(t);
    expect((await listed()).disabled).toMatchObject({ why: "failing" });
    await t.mutation(internal.fleet.steps.watchAttention, { organizationId: acme.organizationId });
    const attention = await t.query(api.console.overview.attention, { session });
    expect(attention.map(({ kind, count }) => [kind, count])).toContainEqual(["disabled-webhook", 1]);

    // Events are counted meanwhile.
    const before = receiver.messages.length;
    await finishJob();
    await deliver(t, 90_000);
    expect(receiver.messages).toHaveLength(before);
    expect((await listed()).skipped).toMatchObject({ count: 1 });
    await expectRefusal(t.mutation(api.console.webhooks.endpoints.test, { session, webhookId }), "conflict");

    receiver.answers.length = 0;
    await t.mutation(api.console.webhooks.endpoints.setEnabled, { session, webhookId, enabled: true });
    await deliver(t);
    expect(await listed()).toMatchObject({ disabled: null, last: { error: null }, skipped: { count: 1 } });
    expect(receiver.messages.length).toBe(before + 1);
    await t.mutation(internal.fleet.steps.watchAttention, { organizationId: acme.organizationId });
    expect(await t.query(api.console.overview.attention, { session })).toEqual([]);
  });

  it("is disabled at once if it answers that it is gone", async () => {
    await addWebhook(t, session, receiver.url, ["job.completed"]);
    receiver.answers.push({ status: 410 });
    await finishJob();
    await deliver(t);
    expect((await listed()).disabled).toMatchObject({ why: "gone" });
  });

  it("gets no more ends of jobs while too many wait, which are counted, but still ends of batches", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed", "batch.failed"]);
    await finishJob();
    await deliver(t);
    await t.run(async (ctx) => {
      const state = (await ctx.db.query("webhookStates").first())!;
      await ctx.db.patch("webhookStates", state._id, { retrying: 10_000 });
    });
    await finishJob();
    await deliver(t);
    expect(await listed()).toMatchObject({ full: true, skipped: null });
    await finishJob();
    await finishJob();
    expect(await deliveries(webhookId, "pending")).toEqual([]);
    await deliver(t, 61_000);
    expect(await listed()).toMatchObject({ full: true, skipped: { count: 2 } });
    const input = await uploadFile(t, acme.apiKey, "{}");
    const body = { input_file_id: input, endpoint: "/v1/chat/completions", completion_window: "24h" };
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    await t.fetch("/v1/batches", { method: "POST", headers, body: JSON.stringify(body) });
    await runDue(t);
    await deliver(t);
    expect(types().at(-1)).toBe("batch.failed");
    await t.run(async (ctx) => {
      const state = (await ctx.db.query("webhookStates").first())!;
      await ctx.db.patch("webhookStates", state._id, { retrying: 10 });
    });
    await t.mutation(api.console.webhooks.endpoints.test, { session, webhookId });
    await deliver(t);
    expect((await listed()).full).toBe(false);
  });
});

describe("secrets", () => {
  it("are replaced with a day in which both sign", async () => {
    const { secret: first, webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: second } = await t.action(api.console.webhooks.endpoints.replaceSecret, {
      session,
      webhookId,
    });
    const shown = JSON.stringify(await t.query(api.console.webhooks.endpoints.list, { session }));
    expect(shown).not.toContain(first);
    expect(shown).not.toContain(second);
    const verifies = async (secret: string): Promise<boolean> => {
      const { body, headers } = receiver.messages.at(-1)!;
      const client = new OpenAI({ apiKey: "none" });
      return await client.webhooks.verifySignature(body, headers as Record<string, string>, secret).then(
        () => true,
        () => false,
      );
    };
    await finishJob();
    await deliver(t);
    expect([await verifies(first), await verifies(second)]).toEqual([true, true]);
    vi.setSystemTime(Date.now() + dayMs);
    await finishJob();
    await deliver(t);
    expect([await verifies(first), await verifies(second)]).toEqual([false, true]);
  });

  it("of webhooks of earlier versions sign as before, too, and their messages keep their fields", async () => {
    const secret = "gw_old";
    await t.run(
      async (ctx) =>
        await ctx.db.insert("webhooks", {
          organizationId: acme.organizationId,
          url: receiver.url,
          secret: `plain.${secret}`,
          createdAt: 0,
        }),
    );
    const began = [{ kind: "stuck" as const, subject: "", count: 2, since: Date.now(), told: true }];
    const news = { organizationId: acme.organizationId, began, ended: [], at: Date.now() };
    await t.mutation(internal.alerts.tell, news);
    await finishJob();
    await deliver(t);
    expect(receiver.messages).toHaveLength(1);
    const { body, headers } = receiver.messages[0]!;
    const [, time = "", signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(
      String(headers["gleaner-signature"]),
    )!;
    expect(signature).toBe(createHmac("sha256", secret).update(`${time}.${body}`).digest("hex"));
    expect(JSON.parse(body)).toMatchObject({
      organization: { name: "Acme" },
      event: "attention.began",
      kind: "stuck",
      count: 2,
      sentence: "2 devices are online, but Gleaner there has been starting for over an hour.",
      type: "attention.began",
      data: { kind: "stuck" },
    });
    const client = new OpenAI({ apiKey: "none", webhookSecret: secret });
    await client.webhooks.unwrap(body, headers);
    expect(await listed()).toMatchObject({
      name: new URL(receiver.url).host,
      events: ["attention.began", "attention.ended", "budget.near", "budget.over"],
    });
  });
});

describe("settings", () => {
  it("refuse private addresses, no events, alerts for one key, and the key of another organization", async () => {
    const add = async (url: string, options = {}) =>
      await addWebhook(t, session, url, ["batch.completed"], options);
    await expectRefusal(add("https://192.168.1.1/hook"), "invalid");
    await expectRefusal(add("http://example.org/hook"), "invalid");
    await expectRefusal(addWebhook(t, session, receiver.url, []), "invalid");
    await expectRefusal(add(receiver.url, { name: " " }), "invalid");
    const apiKeyId = (await listKeys(t, session))[0]!.keyId;
    const alerts = addWebhook(t, session, receiver.url, ["budget.over"], { apiKeyId });
    await expectRefusal(alerts, "invalid");
    const rival = await addOrganization(t, { name: "Rival" });
    const foreign = (await listKeys(t, await signIn(t, rival)))[0]!.keyId;
    await expectRefusal(add(receiver.url, { apiKeyId: foreign }), "not_found");
    for (let n = 0; n < 10; n += 1) await add(`https://hooks.example.org/${String(n)}`);
    await expectRefusal(add("https://hooks.example.org/more"), "conflict");
  });

  it("send nothing to an address that the operator allows no more", async () => {
    const { webhookId } = await addWebhook(t, session, receiver.url, ["job.completed"]);
    vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
    await finishJob();
    await deliver(t);
    const [delivery] = await deliveries(webhookId);
    expect(delivery!.attempts[0]).toMatchObject({ status: null, answer: "" });
    expect(delivery!.attempts[0]!.error).toContain("https://");
    expect(receiver.messages).toEqual([]);
  });

  it("allow hosts of the private network that the operator names", async () => {
    vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
    const { host } = new URL(receiver.url);
    await expectRefusal(addWebhook(t, session, receiver.url, ["job.completed"]), "invalid");
    vi.stubEnv("WEBHOOK_HOSTS", `hooks.corp.example, ${host}`);
    await addWebhook(t, session, receiver.url, ["job.completed"]);
    await finishJob();
    await deliver(t);
    expect(receiver.messages).toHaveLength(1);
  });
});
