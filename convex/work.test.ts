import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits, maxFailedAttempts } from "../app/jobs/limits.ts";
import { api, internal } from "./_generated/api.js";
import { releasedPauseMs } from "./model/jobs/claim.ts";
import {
  addDevice,
  addOrganization,
  answer,
  answerMicro,
  type Backend,
  chat,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  fail,
  modelId,
  type Organization,
  secret,
  startBackend,
  statusOf,
  submit,
} from "./testing/backend.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

describe("a job's way", () => {
  it("goes from submission to a paid answer, streamed on the way", async () => {
    const device = await addDevice(t, acme);
    const { deviceKey } = device;
    const jobId = await submit(t, acme, { stream: true, content: "Name a colour." });
    expect(await t.query(api.work.ready, { deviceKey })).toEqual([{ jobId }]);

    const claimed = await t.mutation(api.work.claim, { deviceKey, jobId });
    expect(claimed).toMatchObject({ kind: "claimed", jobId, modelId, watched: true });
    if (claimed.kind !== "claimed") return;
    expect(claimed.request).toEqual(chat("Name a colour."));
    const { attemptId } = claimed;
    expect(await t.query(api.work.ready, { deviceKey })).toEqual([]);
    expect(await t.query(api.work.held, { deviceKey })).toEqual([{ attemptId }]);

    await t.mutation(api.work.append, { deviceKey, attemptId, seq: 0, text: "Blue " });
    await t.mutation(api.work.append, { deviceKey, attemptId, seq: 1, text: "is " });
    await t.mutation(api.work.append, { deviceKey, attemptId, seq: 1, text: "is " });
    const watched = await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });
    expect(watched).toMatchObject({ status: "running", attempt: 1, attemptId, attempts: 1, result: null });
    expect(watched.chunks).toEqual([
      { seq: 0, text: "Blue " },
      { seq: 1, text: "is " },
    ]);
    const later = await t.query(api.requests.watch, {
      apiKey: acme.apiKey,
      jobId,
      after: { attemptId, seq: 0 },
    });
    expect(later.chunks).toEqual([{ seq: 1, text: "is " }]);

    expect(await complete(t, device, attemptId, { text: "Blue is one." })).toEqual({
      kind: "settled",
      earnedMicro: answerMicro,
      next: null,
    });
    expect(await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId })).toMatchObject({
      status: "succeeded",
      result: {
        text: "Blue is one.",
        finishReason: "stop",
        usage: { promptTokens: 10, completionTokens: 3 },
      },
      error: null,
    });
    expect(await t.query(api.devices.earnings, { deviceKey, since: Date.now() - 1_000 })).toEqual({
      balanceMicro: answerMicro,
      todayMicro: answerMicro,
      jobsSucceeded: 1,
    });
    const history = await t.query(api.devices.history, {
      deviceKey,
      paginationOpts: { numItems: 10, cursor: null },
    });
    expect(history.page).toMatchObject([
      { attemptId, status: "succeeded", earnedMicro: "38", explanation: "10 prompt × 2 + 3 answer × 6" },
    ]);
  });

  it("keeps no chunks of a job that nobody streams", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    const appended = await t.mutation(api.work.append, {
      deviceKey: device.deviceKey,
      attemptId,
      seq: 0,
      text: "x",
    });
    expect(appended).toEqual({ kind: "ok" });
    expect(await t.run(async (ctx) => await ctx.db.query("chunks").take(5))).toEqual([]);
    await complete(t, device, attemptId);
  });

  it("hands the device its next job with the completion", async () => {
    const device = await addDevice(t, acme);
    const first = await submit(t, acme);
    const second = await submit(t, acme);
    const outcome = await complete(t, device, await claim(t, device, first), { wantsNext: true });
    expect(outcome).toMatchObject({ kind: "settled", next: { kind: "claimed", jobId: second } });
    if (outcome.kind !== "settled" || outcome.next === null) return;
    expect(await complete(t, device, outcome.next.attemptId, { wantsNext: true })).toMatchObject({
      next: null,
    });
  });

  it("shows at most eight candidates, the oldest first", async () => {
    const device = await addDevice(t, acme);
    const jobs = [];
    for (let i = 0; i < 10; i += 1) {
      jobs.push(await submit(t, acme));
      vi.advanceTimersByTime(1);
    }
    const ready = await t.query(api.work.ready, { deviceKey: device.deviceKey });
    expect(ready.map(({ jobId }) => jobId)).toEqual(jobs.slice(0, 8));
  });
});

describe("claim", () => {
  it("is taken once, by one of two devices", async () => {
    const [a, b] = [await addDevice(t, acme, "a"), await addDevice(t, acme, "b")];
    const jobId = await submit(t, acme);
    const outcomes = await Promise.all(
      [a, b].map(async ({ deviceKey }) => await t.mutation(api.work.claim, { deviceKey, jobId })),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["claimed", "taken"]);
  });

  it("is refused to a device without the model, and to a retired one", async () => {
    const jobId = await submit(t, acme);
    const other = await addDevice(t, acme, "other", ["another-model"]);
    expect(await t.query(api.work.ready, { deviceKey: other.deviceKey })).toEqual([]);
    expect(await t.mutation(api.work.claim, { deviceKey: other.deviceKey, jobId })).toEqual({
      kind: "unable",
    });
    const retired = await addDevice(t, acme, "retired");
    await t.run(async (ctx) => {
      await ctx.db.patch("devices", retired.deviceId, { status: "retired" });
    });
    expect(await t.query(api.work.ready, { deviceKey: retired.deviceKey })).toEqual([]);
    expect(await t.mutation(api.work.claim, { deviceKey: retired.deviceKey, jobId })).toEqual({
      kind: "unable",
    });
  });

  it("stops at eight held jobs", async () => {
    const device = await addDevice(t, acme);
    for (let i = 0; i < 8; i += 1) await claim(t, device, await submit(t, acme));
    const jobId = await submit(t, acme);
    expect(await t.mutation(api.work.claim, { deviceKey: device.deviceKey, jobId })).toEqual({
      kind: "unable",
    });
  });
});

describe("the fence", () => {
  it("refuses every late call once the attempt was released, and pays nothing", async () => {
    const device = await addDevice(t, acme);
    const { deviceKey } = device;
    const jobId = await submit(t, acme, { stream: true });
    const attemptId = await claim(t, device, jobId);
    expect(await t.mutation(api.work.release, { deviceKey, attemptId, reason: "in-use" })).toEqual({
      kind: "ok",
    });
    const fenced = { kind: "fenced" };
    expect(await complete(t, device, attemptId)).toEqual(fenced);
    expect(await fail(t, device, attemptId)).toEqual(fenced);
    expect(await t.mutation(api.work.release, { deviceKey, attemptId, reason: "again" })).toEqual(fenced);
    expect(await t.mutation(api.work.append, { deviceKey, attemptId, seq: 0, text: "x" })).toEqual(fenced);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("lets only the attempt's own device through", async () => {
    const [owner, other] = [await addDevice(t, acme, "owner"), await addDevice(t, acme, "other")];
    const rival = await addOrganization(t, { name: "Rival" });
    const foreign = await addDevice(t, rival, "foreign");
    const attemptId = await claim(t, owner, await submit(t, acme));
    for (const device of [other, foreign]) {
      expect(await complete(t, device, attemptId)).toEqual({ kind: "fenced" });
      expect(await fail(t, device, attemptId)).toEqual({ kind: "fenced" });
    }
    expect(await complete(t, owner, attemptId)).toMatchObject({ kind: "settled" });
  });

  it("keeps the old attempt out while another works, and its text from the watcher", async () => {
    const [first, second] = [await addDevice(t, acme, "first"), await addDevice(t, acme, "second")];
    const jobId = await submit(t, acme, { stream: true });
    const old = await claim(t, first, jobId);
    await t.mutation(api.work.append, { deviceKey: first.deviceKey, attemptId: old, seq: 0, text: "old" });
    await t.mutation(api.work.release, { deviceKey: first.deviceKey, attemptId: old, reason: "in-use" });
    const current = await claim(t, second, jobId);
    expect(await complete(t, first, old)).toEqual({ kind: "fenced" });
    const view = await t.query(api.requests.watch, {
      apiKey: acme.apiKey,
      jobId,
      after: { attemptId: old, seq: 0 },
    });
    expect(view).toMatchObject({ attempt: 2, attemptId: current, attempts: 2, chunks: [] });
    expect(await complete(t, second, current)).toMatchObject({ kind: "settled" });
  });

  it("answers a repeated completion with what was paid, and pays nothing more", async () => {
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, await submit(t, acme));
    const settled = { kind: "settled", earnedMicro: answerMicro, next: null };
    expect(await complete(t, device, attemptId)).toEqual(settled);
    expect(await complete(t, device, attemptId)).toEqual(settled);
    const { balanceMicro } = await t.query(api.devices.earnings, { deviceKey: device.deviceKey, since: 0 });
    expect(balanceMicro).toBe(answerMicro);
  });
});

describe("release and fail", () => {
  it("releases as often as people come back, without a retry used", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    for (let i = 0; i < maxFailedAttempts + 2; i += 1) {
      const attemptId = await claim(t, device, jobId);
      await t.mutation(api.work.release, { deviceKey: device.deviceKey, attemptId, reason: "in-use" });
      vi.advanceTimersByTime(releasedPauseMs);
    }
    // Were a release a failure, this would be one too many.
    await fail(t, device, await claim(t, device, jobId));
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await complete(t, device, await claim(t, device, jobId))).toMatchObject({ kind: "settled" });
    const history = await t.query(api.devices.history, {
      deviceKey: device.deviceKey,
      paginationOpts: { numItems: 50, cursor: null },
    });
    expect(new Set(history.page.map(({ explanation }) => explanation))).toContain("given back: in-use");
  });

  it("does not give a job back to the device that released it but a moment ago", async () => {
    const [hasty, other] = [await addDevice(t, acme, "hasty"), await addDevice(t, acme, "other")];
    const jobId = await submit(t, acme);
    const again = async () => await t.mutation(api.work.claim, { deviceKey: hasty.deviceKey, jobId });
    const release = async ({ deviceKey }: typeof hasty) => {
      const attemptId = await claim(t, { deviceKey }, jobId);
      await t.mutation(api.work.release, { deviceKey, attemptId, reason: "in-use" });
    };
    await release(hasty);
    vi.advanceTimersByTime(releasedPauseMs - 1);
    expect(await again()).toEqual({ kind: "taken" });
    await release(other);
    expect(await again()).toMatchObject({ kind: "claimed" });
  });

  it("retries a failure, until the retries are used up", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    for (let i = 1; i <= maxFailedAttempts; i += 1) {
      expect(await statusOf(t, acme, jobId)).toBe("ready");
      expect(await fail(t, device, await claim(t, device, jobId))).toEqual({ kind: "ok", next: null });
    }
    expect(await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId })).toMatchObject({
      status: "failed",
      attempts: maxFailedAttempts,
      error: { code: "runner_crashed" },
    });
  });

  it("ends a job at once when the error cannot be retried", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId), false);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  });

  it("counts a model that a device cannot run once per device, and spares it the job until it is renewed", async () => {
    const { deviceKey } = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const error = { code: "model_corrupt" as const, message: "The file is bad.", retryable: false };
    const hello = {
      deviceKey,
      version: "1",
      capabilities: { threads: 4, memoryMb: 8_192, models: [modelId] },
    };
    for (let i = 0; i <= maxFailedAttempts; i += 1) {
      const attemptId = await claim(t, { deviceKey }, jobId);
      await t.mutation(api.work.fail, { deviceKey, attemptId, error });
      expect(await t.query(api.work.ready, { deviceKey })).toEqual([]);
      expect(await t.mutation(api.work.claim, { deviceKey, jobId })).toEqual({ kind: "unable" });
      await t.mutation(api.devices.hello, { ...hello, startup: true });
      expect(await t.query(api.work.ready, { deviceKey })).toEqual([{ jobId }]);
    }
    for (let i = 2; i <= maxFailedAttempts; i += 1) {
      expect(await statusOf(t, acme, jobId)).toBe("ready");
      const other = await addDevice(t, acme, `device ${String(i)}`);
      const attemptId = await claim(t, other, jobId);
      await t.mutation(api.work.fail, { deviceKey: other.deviceKey, attemptId, error });
    }
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  });

  it("does not show a failed job to the same device while another could run it", async () => {
    const [clumsy, other] = [await addDevice(t, acme, "clumsy"), await addDevice(t, acme, "other")];
    const jobId = await submit(t, acme);
    await fail(t, clumsy, await claim(t, clumsy, jobId));
    expect(await t.query(api.work.ready, { deviceKey: clumsy.deviceKey })).toEqual([]);
    expect(await t.query(api.work.ready, { deviceKey: other.deviceKey })).toEqual([{ jobId }]);
    await t.mutation(api.devices.goodbye, { deviceKey: other.deviceKey });
    expect(await t.query(api.work.ready, { deviceKey: clumsy.deviceKey })).toEqual([{ jobId }]);
  });
});

describe("cancel", () => {
  it("cancels a ready job, once", async () => {
    const { apiKey } = acme;
    const jobId = await submit(t, acme);
    expect(await t.mutation(api.requests.cancel, { apiKey, jobId })).toEqual({ kind: "canceled" });
    expect(await t.mutation(api.requests.cancel, { apiKey, jobId })).toEqual({
      kind: "already-final",
      status: "canceled",
    });
    const device = await addDevice(t, acme);
    expect(await t.mutation(api.work.claim, { deviceKey: device.deviceKey, jobId })).toEqual({
      kind: "taken",
    });
  });

  it("takes a running job from its device", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    expect(await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId })).toEqual({
      kind: "canceled",
    });
    expect(await t.query(api.work.held, { deviceKey: device.deviceKey })).toEqual([]);
    expect(await complete(t, device, attemptId)).toEqual({ kind: "fenced" });
  });
});

describe("a device's comings and goings", () => {
  it("gives back what a former life held, but keeps it over a mere reconnect", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    const greeting = {
      deviceKey: device.deviceKey,
      version: "0.1.0",
      capabilities: { threads: 4, memoryMb: 8_192, models: [modelId] },
    };
    expect(await t.mutation(api.devices.hello, greeting)).toEqual({ leaseMs: 30_000 });
    expect(await statusOf(t, acme, jobId)).toBe("running");
    await t.mutation(api.devices.hello, { ...greeting, startup: true });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("gives everything back on goodbye, and is offline at once", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    await t.mutation(api.devices.goodbye, { deviceKey: device.deviceKey });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    const row = await t.run(async (ctx) => await ctx.db.get("devices", device.deviceId));
    expect(row).toMatchObject({ online: false, activity: null });
  });
});

describe("what a device may send", () => {
  it("is bounded", async () => {
    const device = await addDevice(t, acme);
    const { deviceKey } = device;
    const attemptId = await claim(t, device, await submit(t, acme, { stream: true }));
    const append = async (seq: number, text: string) =>
      await t.mutation(api.work.append, { deviceKey, attemptId, seq, text });
    await expectRefusal(append(-1, "x"), "invalid");
    await expectRefusal(append(0.5, "x"), "invalid");
    await expectRefusal(append(0, "x".repeat(limits.chunkBytes + 1)), "too_large");
    const done = async (result: ReturnType<typeof answer>) =>
      await t.mutation(api.work.complete, { deviceKey, attemptId, result, wantsNext: false });
    await expectRefusal(done(answer("x".repeat(limits.resultBytes + 1))), "too_large");
    await expectRefusal(done(answer("x", { promptTokens: -1, completionTokens: 0 })), "invalid");
    await expectRefusal(done(answer("x", { promptTokens: 1, completionTokens: Number.NaN })), "invalid");
    // The request's maxTokens, and the model's context.
    await expectRefusal(done(answer("x", { promptTokens: 1, completionTokens: 65 })), "invalid");
    await expectRefusal(done(answer("x", { promptTokens: 1_025, completionTokens: 1 })), "invalid");
    const models = Array.from({ length: 33 }, (_, index) => `m${String(index)}`);
    await expectRefusal(
      t.mutation(api.devices.hello, {
        deviceKey,
        version: "1",
        capabilities: { threads: 1, memoryMb: 1, models },
      }),
      "invalid",
    );
  });

  it("is an answer's worth of streamed text at most, in the order of its seq", async () => {
    const { deviceKey } = await addDevice(t, acme);
    const jobId = await submit(t, acme, { stream: true });
    const attemptId = await claim(t, { deviceKey }, jobId);
    const append = async (seq: number, text: string) =>
      await t.mutation(api.work.append, { deviceKey, attemptId, seq, text });
    const text = "é".repeat(limits.chunkBytes / 2);
    const chunks = limits.resultBytes / limits.chunkBytes;
    for (let seq = 1; seq <= chunks; seq += 1) await append(seq, text);
    await expectRefusal(append(chunks + 1, "x"), "too_large");
    expect(await append(0, "too late")).toEqual({ kind: "ok" });
    expect(await append(chunks, text)).toEqual({ kind: "ok" });
    const kept = await t.run(async (ctx) => await ctx.db.query("chunks").take(chunks + 2));
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: chunks }, (_, index) => index + 1));
  });

  it("is well-formed text", async () => {
    const { deviceKey } = await addDevice(t, acme);
    await expectRefusal(submit(t, acme, { content: "Hi \ud83d" }), "invalid");
    await expectRefusal(submit(t, acme, { idempotencyKey: "\udc26" }), "invalid");
    const stops = {
      apiKey: acme.apiKey,
      model: modelId,
      request: chat("Hi", { stop: ["\ud83d"] }),
      stream: false,
    };
    await expectRefusal(t.mutation(internal.requests.submit, stops), "invalid");
    const attemptId = await claim(t, { deviceKey }, await submit(t, acme, { stream: true, content: "🐦" }));
    const append = async (text: string) =>
      await t.mutation(api.work.append, { deviceKey, attemptId, seq: 0, text });
    await expectRefusal(append("\ud83d"), "invalid");
    expect(await append("🐦")).toEqual({ kind: "ok" });
    const result = answer("a \udc26 b");
    await expectRefusal(
      t.mutation(api.work.complete, { deviceKey, attemptId, result, wantsNext: false }),
      "invalid",
    );
    expect(await complete(t, { deviceKey }, attemptId, { text: "🐦" })).toMatchObject({ kind: "settled" });
  });

  it("never earns more than was reserved", async () => {
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, await submit(t, acme));
    const outcome = await t.mutation(api.work.complete, {
      deviceKey: device.deviceKey,
      attemptId,
      result: answer("x", { promptTokens: 1_024, completionTokens: 64 }),
      wantsNext: false,
    });
    // "Hi" bounds the prompt at 2 + 32 + 64 tokens, the answer at 64.
    expect(outcome).toMatchObject({ earnedMicro: 98n * 2n + 64n * 6n });
    const history = await t.query(api.devices.history, {
      deviceKey: device.deviceKey,
      paginationOpts: { numItems: 10, cursor: null },
    });
    expect(history.page[0]?.explanation).toContain("at most what was reserved");
  });

  it("is refused under a key that nobody knows", async () => {
    const deviceKey = secret("gd_");
    const jobId = await submit(t, acme);
    await expectRefusal(t.query(api.devices.me, { deviceKey }), "unauthorized");
    await expectRefusal(t.query(api.work.ready, { deviceKey }), "unauthorized");
    await expectRefusal(t.mutation(api.work.claim, { deviceKey, jobId }), "unauthorized");
    await expectRefusal(t.mutation(api.devices.heartbeat, { deviceKey }), "unauthorized");
  });
});

describe("what is left behind", () => {
  it("deletes chunks ten minutes after the end, prompt and answer after a day", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { stream: true });
    const attemptId = await claim(t, device, jobId);
    await t.mutation(api.work.append, { deviceKey: device.deviceKey, attemptId, seq: 0, text: "x" });
    await complete(t, device, attemptId);
    const left = async () =>
      await t.run(async (ctx) => [
        (await ctx.db.query("chunks").take(5)).length,
        (await ctx.db.query("payloads").take(5)).length,
        (await ctx.db.query("results").take(5)).length,
      ]);
    vi.advanceTimersByTime(9 * 60_000);
    await t.finishInProgressScheduledFunctions();
    expect(await left()).toEqual([1, 1, 1]);
    vi.advanceTimersByTime(2 * 60_000);
    await t.finishInProgressScheduledFunctions();
    await t.mutation(internal.maintenance.purge, {});
    expect(await left()).toEqual([0, 1, 1]);
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    await t.mutation(internal.maintenance.purge, {});
    expect(await left()).toEqual([0, 0, 0]);
    expect(await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId })).toMatchObject({
      status: "succeeded",
      result: null,
    });
  });
});
