import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits, maxFailedAttempts } from "../../app/jobs/limits.ts";
import { api } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  chat,
  claim,
  complete,
  completeWith,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  fail,
  greeting,
  jobOf,
  modelId,
  type Organization,
  pass,
  price,
  purgeQueue,
  release,
  secret,
  startBackend,
  statusOf,
  submit,
  submitWork,
  take,
  tryClaim,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

/** Longer than any backoff, and shorter than a lease. */
const backOff = async () => await pass(t, 31_000);

const watch = async (jobId: string, after?: { attemptId: string; seq: number }) =>
  await t.query(api.requests.watch, {
    apiKey: acme.apiKey,
    jobId,
    ...(after === undefined ? {} : { after }),
  });

const append = async ({ key }: Device, attemptId: string, seq: number, text: string) =>
  await t.mutation(api.work.append, { key, attemptId, seq, text });

const history = async ({ key }: Device) => (await t.query(api.devices.history, { key, paginationOpts })).page;

/** The candidates of a waiting device, once its lane knows it. */
async function seenBy({ key }: Device) {
  await pass(t, 10);
  const { subscriptions } = await t.query(api.work.candidates, { key, subscriptions: [] });
  return (await t.query(api.work.candidates, { key, subscriptions })).jobs;
}

const held = async ({ key }: Device) =>
  (await t.query(api.work.held, { key })).map(({ attemptId }) => attemptId);

describe("a job from start to end", () => {
  it("submits, streams, answers and pays a job", async () => {
    const device = await addDevice(t, acme);
    const { key } = device;
    expect(await take(t, device)).toEqual([]);
    const jobId = await submit(t, acme, { stream: true, content: "Name a color." });
    expect(await seenBy(device)).toMatchObject([{ jobId, late: false }]);

    const claimed = await tryClaim(t, device, jobId);
    expect(claimed).toMatchObject({
      kind: "claimed",
      job: {
        jobId,
        kind: "chat",
        requirements: { model: modelId },
        payload: chat("Name a color."),
        watched: true,
        begun: true,
      },
    });
    if (claimed.kind !== "claimed") return;
    const { attemptId } = claimed.job;
    expect(await seenBy(device)).toEqual([]);
    expect(await held(device)).toEqual([attemptId]);

    await append(device, attemptId, 0, "Blue ");
    await append(device, attemptId, 1, "is ");
    await append(device, attemptId, 1, "is ");
    const watched = await watch(jobId);
    expect(watched).toMatchObject({ status: "running", attempt: 1, attemptId, attempts: 1, result: null });
    expect(watched.chunks).toEqual([
      { seq: 0, text: "Blue " },
      { seq: 1, text: "is " },
    ]);
    expect((await watch(jobId, { attemptId, seq: 0 })).chunks).toEqual([{ seq: 1, text: "is " }]);

    expect(await complete(t, device, attemptId, { text: "Blue is one." })).toMatchObject({
      kind: "completed",
      reply: { earnedMicro: answerMicro, price },
      jobs: [],
    });
    expect(await watch(jobId)).toMatchObject({
      status: "succeeded",
      result: {
        text: "Blue is one.",
        finishReason: "stop",
        usage: { promptTokens: 10, completionTokens: 3 },
      },
      error: null,
    });
    expect(await t.query(api.devices.earnings, { key, since: Date.now() - 1_000 })).toEqual({
      balanceMicro: answerMicro,
      todayMicro: answerMicro,
      todayJobs: 1,
      checks: null,
      jobsSucceeded: 1,
    });
    expect(await history(device)).toMatchObject([
      {
        attemptId,
        modelId,
        status: "succeeded",
        promptTokens: 10,
        completionTokens: 3,
        earnedMicro: "38",
        explanation: "10 tokens in × 0.002 + 3 out × 0.006 credits per 1,000 (price version 1.0)",
      },
    ]);
  });

  it("stores no chunks of a job that nobody streams, and all chunks of a job that is followed later", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { idempotencyKey: "order-17" });
    const attemptId = await claim(t, device, jobId);
    expect(await append(device, attemptId, 0, "x")).toEqual({ kind: "ok" });
    expect((await watch(jobId)).chunks).toEqual([]);
    expect(await submit(t, acme, { idempotencyKey: "order-17", stream: true })).toBe(jobId);
    expect(await t.query(api.work.held, { key: device.key })).toMatchObject([{ attemptId, watched: true }]);
    await append(device, attemptId, 0, "all so far");
    expect((await watch(jobId)).chunks).toEqual([{ seq: 0, text: "all so far" }]);
    await complete(t, device, attemptId);
  });

  it("hands the device its next job with the completion", async () => {
    const device = await addDevice(t, acme);
    const jobs = [await submit(t, acme), await submit(t, acme)];
    const [first] = await take(t, device);
    const second = jobs.find((jobId) => jobId !== first?.jobId);
    const outcome = await complete(t, device, first?.attemptId ?? "", { wanted: 1 });
    expect(outcome).toMatchObject({ kind: "completed", jobs: [{ jobId: second, begun: true }] });
    const [next] = outcome.jobs;
    if (next === undefined) return;
    expect(await complete(t, device, next.attemptId, { wanted: 1 })).toMatchObject({ jobs: [] });
  });

  it("runs jobs of a higher priority sooner, and of a lower one later", async () => {
    const device = await addDevice(t, acme);
    const flex = await submit(t, acme, { priority: "low" });
    const normal = await submit(t, acme);
    const priority = await submit(t, acme, { priority: "high" });
    const order = [];
    for (let i = 0; i < 3; i += 1) order.push(...(await take(t, device)));
    expect(order.map(({ jobId }) => jobId)).toEqual([priority, normal, flex]);
    for (const { attemptId } of order) await complete(t, device, attemptId);
  });
});

describe("claim", () => {
  it("gives a job to only one of two devices that claim it", async () => {
    const devices = [await addDevice(t, acme, "a"), await addDevice(t, acme, "b")];
    const jobId = await submit(t, acme);
    const outcomes = await Promise.all(devices.map(async (device) => await tryClaim(t, device, jobId)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["claimed", "taken"]);
  });

  it("refuses a job to a device without its model", async () => {
    const jobId = await submit(t, acme);
    const other = await addDevice(t, acme, "other", ["another-model"]);
    expect(await take(t, other)).toEqual([]);
    expect(await tryClaim(t, other, jobId)).toEqual({ kind: "unable" });
  });

  it("refuses a job to a device without the key's data class", async () => {
    const [trusted, other] = [await addDevice(t, acme, "trusted"), await addDevice(t, acme, "other")];
    await t.run(async (ctx) => {
      const key = await ctx.db.query("apiKeys").first();
      if (key !== null) await ctx.db.patch("apiKeys", key._id, { dataClass: "medical" });
      const device = await ctx.db.get("devices", trusted.deviceId);
      if (device === null) return;
      const { workerId } = device;
      await queue.workers.update(ctx, acme.organizationId, { workerId, dataClasses: ["medical"] });
    });
    const jobId = await submit(t, acme);
    expect(await take(t, other)).toEqual([]);
    expect(await tryClaim(t, other, jobId)).toEqual({ kind: "unable" });
    expect(await take(t, trusted)).toMatchObject([{ jobId }]);
  });
});

describe("a late call of an old attempt", () => {
  it("refuses every late call of a released attempt, and pays nothing", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { stream: true });
    const attemptId = await claim(t, device, jobId);
    expect(await release(t, device, attemptId)).toEqual({ fenced: [] });
    expect(await append(device, attemptId, 0, "late")).toEqual({ kind: "fenced" });
    expect(await complete(t, device, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await fail(t, device, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await release(t, device, attemptId)).toEqual({ fenced: [attemptId] });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    const { key } = device;
    expect(await t.query(api.devices.earnings, { key, since: 0 })).toMatchObject({ balanceMicro: 0n });
  });

  it("refuses calls of another device for an attempt, whatever its organization", async () => {
    const owner = await addDevice(t, acme, "owner");
    const colleague = await addDevice(t, acme, "colleague");
    const stranger = await addDevice(t, await addOrganization(t, { name: "Rival" }), "stranger");
    const attemptId = await claim(t, owner, await submit(t, acme, { stream: true }));
    for (const device of [colleague, stranger]) {
      expect(await append(device, attemptId, 0, "x")).toEqual({ kind: "fenced" });
      expect(await release(t, device, attemptId)).toEqual({ fenced: [attemptId] });
      expect(await complete(t, device, attemptId)).toMatchObject({ kind: "fenced" });
      expect(await fail(t, device, attemptId)).toMatchObject({ kind: "fenced" });
    }
    expect(await complete(t, owner, attemptId)).toMatchObject({ kind: "completed" });
  });

  it("refuses the old attempt while another one runs, and hides its text from the watcher", async () => {
    const [first, second] = [await addDevice(t, acme, "first"), await addDevice(t, acme, "second")];
    const jobId = await submit(t, acme, { stream: true });
    const old = await claim(t, first, jobId);
    await append(first, old, 0, "old");
    await release(t, first, old);
    const current = await claim(t, second, jobId);
    expect(await complete(t, first, old)).toMatchObject({ kind: "fenced" });
    expect(await watch(jobId, { attemptId: old, seq: 0 })).toMatchObject({
      attempt: 2,
      attemptId: current,
      attempts: 2,
      chunks: [],
    });
    expect(await complete(t, second, current)).toMatchObject({ kind: "completed" });
  });

  it("answers a repeated completion with the same pay, and pays nothing more", async () => {
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, await submit(t, acme));
    const completed = { kind: "completed", reply: { earnedMicro: answerMicro, price }, jobs: [] };
    expect(await complete(t, device, attemptId)).toMatchObject(completed);
    expect(await complete(t, device, attemptId)).toMatchObject(completed);
    const { balanceMicro } = await t.query(api.devices.earnings, { key: device.key, since: 0 });
    expect(balanceMicro).toBe(answerMicro);
  });
});

describe("release and fail", () => {
  it("allows any number of releases without using up retries", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    for (let i = 0; i < maxFailedAttempts + 2; i += 1) {
      await release(t, device, await claim(t, device, jobId));
      await pass(t, 1_000);
    }
    // If a release counted as a failure, this would be one too many.
    await fail(t, device, await claim(t, device, jobId));
    expect(await statusOf(t, acme, jobId)).toBe("waiting");
    await backOff();
    expect(await complete(t, device, await claim(t, device, jobId))).toMatchObject({ kind: "completed" });
    const explanations = (await history(device)).map(({ explanation }) => explanation);
    expect(explanations).toContain("Failed: The runner ended unexpectedly.");
  });

  it.each([
    ["in-use", "Given back: You are using it"],
    ["shutdown", "Given back: Gleaner ended"],
    ["constructor", "Given back: constructor"],
  ])("shows a release for %s in words, or as it is if the reason is unknown", async (reason, explanation) => {
    const device = await addDevice(t, acme);
    await release(t, device, await claim(t, device, await submit(t, acme)), reason);
    expect((await history(device)).map((row) => row.explanation)).toEqual([explanation]);
  });

  it("retries a failed job until its retries are used up", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    for (let i = 1; i <= maxFailedAttempts; i += 1) {
      expect(await statusOf(t, acme, jobId)).toBe("ready");
      expect(await fail(t, device, await claim(t, device, jobId))).toMatchObject({ kind: "failed" });
      await backOff();
    }
    expect(await watch(jobId)).toMatchObject({
      status: "failed",
      attempts: maxFailedAttempts,
      error: { code: "runner_crashed" },
    });
  });

  it("ends a job at once when its only device says that the prompt is too long", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  });

  it.each(["internal_error", "ON FIRE, visit evil.example", "invalid_grammar"])(
    "tells nobody the words of a device that fails with the code %j",
    async (code) => {
      const device = await addDevice(t, acme);
      const request = chat("Hi", { format: { kind: "json" } });
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
      const message = "Your account expired. Pay at evil.example, then try again.";
      while ((await statusOf(t, acme, jobId)) === "ready") {
        await fail(t, device, await claim(t, device, jobId), { code, message, retryable: false });
        await backOff();
      }
      const job = await jobOf(t, acme, jobId);
      const attempts = await t.run(async (ctx) => await queue.attempts(ctx, acme.organizationId, jobId));
      const seen = [await watch(jobId), await history(device), job, attempts];
      expect(seen).toMatchObject([
        { error: { code: expect.stringMatching(/^[a-z_]+$/) as string } },
        expect.anything(),
        {},
        expect.anything(),
      ]);
      expect(inspect(seen, { depth: Infinity })).not.toContain("evil.example");
    },
  );

  it("counts no device with an unfit model, and offers it no such job until it says hello again", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const error = { code: "model_corrupt", message: "The file is bad.", retryable: false, unfit: true };
    for (let i = 0; i <= maxFailedAttempts; i += 1) {
      await fail(t, device, await claim(t, device, jobId), error);
      expect(await take(t, device)).toEqual([]);
      expect(await tryClaim(t, device, jobId)).toEqual({ kind: "unable" });
      await t.mutation(api.work.hello, { key: device.key, ...greeting([modelId], true) });
    }
    expect(await jobOf(t, acme, jobId)).toMatchObject({ status: "ready", failures: 0 });
  });
});

describe("cancel", () => {
  const cancel = async (jobId: string) =>
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });

  it("cancels a ready job once", async () => {
    const jobId = await submit(t, acme);
    expect(await cancel(jobId)).toEqual({ kind: "canceled" });
    expect(await cancel(jobId)).toEqual({ kind: "already-final", status: "canceled" });
    expect(await tryClaim(t, await addDevice(t, acme), jobId)).toEqual({ kind: "taken" });
  });

  it("takes a running job from its device", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    expect(await cancel(jobId)).toEqual({ kind: "canceled" });
    expect(await held(device)).toEqual([]);
    expect(await complete(t, device, attemptId)).toMatchObject({ kind: "fenced" });
  });
});

describe("a device that starts, stops or falls silent", () => {
  it("returns its jobs to the queue when it restarts, but keeps them when it reconnects", async () => {
    const device = await addDevice(t, acme);
    const { key } = device;
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    expect(await t.mutation(api.work.hello, { key, ...greeting() })).toMatchObject({ leaseMs: 40_000 });
    expect(await statusOf(t, acme, jobId)).toBe("running");
    await t.mutation(api.work.hello, { key, ...greeting([modelId], true) });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("returns all its jobs on goodbye, and is offline at once", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    await t.mutation(api.work.goodbye, { key: device.key });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    const row = await t.run(async (ctx) => await ctx.db.get("devices", device.deviceId));
    expect(row?.activity).toBeNull();
    expect(await t.run(async (ctx) => await queue.workers.byKey(ctx, device.key))).toMatchObject({
      online: false,
      accepting: false,
    });
  });

  it("loses its job when it falls silent, and is refused later", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    await pass(t, 39_000);
    expect(await statusOf(t, acme, jobId)).toBe("running");
    // Each function schedules the next one.
    for (let seconds = 0; seconds < 6; seconds += 1) await pass(t, 1_000);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await complete(t, device, attemptId)).toMatchObject({ kind: "fenced" });
    expect(await history(device)).toMatchObject([{ status: "lost", explanation: "The connection was lost" }]);
  });
});

describe("a device's input", () => {
  it("refuses a device's input that is out of bounds", async () => {
    const device = await addDevice(t, acme);
    const { key } = device;
    const attemptId = await claim(t, device, await submit(t, acme, { stream: true }));
    await expectRefusal(append(device, attemptId, -1, "x"), "invalid");
    await expectRefusal(append(device, attemptId, 0.5, "x"), "invalid");
    await expectRefusal(append(device, attemptId, 0, "x".repeat(limits.chunkBytes + 1)), "too_large");
    // The refused calls left no trace.
    expect(await held(device)).toEqual([attemptId]);
    expect(await complete(t, device, attemptId)).toMatchObject({ kind: "completed" });
    const models = Array.from({ length: 1_000 }, (_, index) => `m${String(index)}`);
    await expectRefusal(t.mutation(api.work.hello, { key, ...greeting(models) }), "invalid");
  });

  it("accepts a bounded amount of streamed text, in the order of its seq", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { stream: true });
    const attemptId = await claim(t, device, jobId);
    const text = "é".repeat(limits.chunkBytes / 2);
    const chunks = (2 * 1024 * 1024) / limits.chunkBytes;
    for (let seq = 0; seq < chunks; seq += 1) await append(device, attemptId, seq, text);
    await expectRefusal(append(device, attemptId, chunks, "x"), "too_large");
    expect(await append(device, attemptId, 0, "too late")).toEqual({ kind: "ok" });
    expect(await append(device, attemptId, chunks - 1, text)).toEqual({ kind: "ok" });
    const last = chunks - 1;
    const kept: number[] = [];
    for (let after = 0; after < last; after = kept.at(-1) ?? last) {
      kept.push(...(await watch(jobId, { attemptId, seq: after })).chunks.map(({ seq }) => seq));
    }
    expect(kept).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  });

  it("refuses text that is not well-formed", async () => {
    const device = await addDevice(t, acme);
    await expectRefusal(submit(t, acme, { content: "Hi \ud83d" }), "invalid");
    await expectRefusal(submit(t, acme, { idempotencyKey: "\udc26" }), "invalid");
    const work = { kind: "chat" as const, request: chat("Hi", { stop: ["\ud83d"] }) };
    await expectRefusal(submitWork(t, acme.apiKey, work), "invalid");
    const attemptId = await claim(t, device, await submit(t, acme, { stream: true, content: "🐦" }));
    await expectRefusal(append(device, attemptId, 0, "\ud83d"), "invalid");
    expect(await append(device, attemptId, 0, "🐦")).toEqual({ kind: "ok" });
    expect(await complete(t, device, attemptId, { text: "a \udc26 b" })).toMatchObject({ kind: "refused" });
  });

  it("never pays more than was reserved", async () => {
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, await submit(t, acme));
    const usage = { promptTokens: 1_024, completionTokens: 64 };
    // "Hi" bounds the prompt at 2 + 32 + 64 tokens, the answer at 64.
    const text = "A long answer. ".repeat(9);
    expect(await complete(t, device, attemptId, { text, usage })).toMatchObject({
      reply: { earnedMicro: 98n * 2n + 64n * 6n },
    });
    expect((await history(device))[0]?.explanation).toContain("limited to the highest price of the request");
  });

  it("refuses calls with an unknown device key", async () => {
    const stranger = { key: secret("gd_") };
    const jobId = await submit(t, acme);
    await expectRefusal(t.query(api.devices.me, stranger), "unauthorized");
    await expectRefusal(t.query(api.work.candidates, { ...stranger, subscriptions: [] }), "unauthorized");
    await expectRefusal(take(t, stranger), "unauthorized");
    await expectRefusal(tryClaim(t, stranger, jobId), "unauthorized");
    await expectRefusal(t.mutation(api.work.heartbeat, stranger), "unauthorized");
    await expectRefusal(t.mutation(api.work.goodbye, stranger), "unauthorized");
  });
});

describe("an embedding job", () => {
  const packed = (...numbers: readonly number[]) =>
    btoa(String.fromCharCode(...new Uint8Array(new Float32Array(numbers).buffer)));

  async function claimEmbedding(
    inputs: string[],
  ): Promise<{ device: Device; attemptId: string; jobId: string }> {
    const device = await addDevice(t, acme);
    const jobId = await submitWork(t, acme.apiKey, { kind: "embedding", request: { inputs } });
    return { device, jobId, attemptId: await claim(t, device, jobId) };
  }

  const answerWith = async (
    device: Device,
    attemptId: string,
    result: { embeddings: string[] } | { text: string; finishReason: "stop" },
    usage = { promptTokens: 7, completionTokens: 0 },
  ) =>
    await completeWith(t, device, attemptId, {
      result,
      report: { usage, timing: { prefillMs: 1, generateMs: 0 } },
    });

  it("pays an embedding job by its prompt tokens only", async () => {
    const { device, attemptId, jobId } = await claimEmbedding(["a", "b"]);
    const embeddings = [packed(1, 0), packed(0.6, 0.8)];
    expect(await answerWith(device, attemptId, { embeddings })).toMatchObject({
      kind: "completed",
      reply: { earnedMicro: 14n },
    });
    expect(await watch(jobId)).toMatchObject({
      status: "succeeded",
      result: { embeddings, usage: { promptTokens: 7, completionTokens: 0 } },
    });
    expect(await history(device)).toMatchObject([
      {
        kind: "embedding",
        earnedMicro: "14",
        explanation: "7 tokens in × 0.002 credits per 1,000 (price version 1.0)",
      },
    ]);
  });

  const good = packed(1, 0);
  const vectors = { embeddings: [good, good] };

  it.each<[string, Parameters<typeof answerWith>[2], { promptTokens: number; completionTokens: number }?]>([
    ["too few vectors", { embeddings: [good] }],
    ["too many vectors", { embeddings: [good, good, good] }],
    ["vectors of several lengths", { embeddings: [good, packed(1)] }],
    ["a vector that is no number", { embeddings: [good, packed(1, Number.NaN)] }],
    ["an empty vector", { embeddings: [good, ""] }],
    ["a vector that is no base64", { embeddings: [good, "no base64"] }],
    ["text", { text: "Hello.", finishReason: "stop" }],
    ["vectors with written tokens", vectors, { promptTokens: 7, completionTokens: 1 }],
    ["vectors that are too large", { embeddings: ["A".repeat(400_000), "A".repeat(400_000)] }],
  ])("refuses %s as the answer", async (_, result, usage) => {
    const { device, attemptId } = await claimEmbedding(["a", "b"]);
    expect(await answerWith(device, attemptId, result, usage)).toMatchObject({ kind: "refused" });
  });

  it("refuses vectors of another length once two devices have sent the same", async () => {
    const devices = [
      await addDevice(t, acme, "a"),
      await addDevice(t, acme, "b"),
      await addDevice(t, acme, "c"),
    ];
    const send = async (device: Device | undefined, numbers: readonly number[]) => {
      if (device === undefined) throw new Error("no device");
      const request = { inputs: ["a", "b"] };
      const jobId = await submitWork(t, acme.apiKey, { kind: "embedding", request });
      const vector = packed(...numbers);
      return (await answerWith(device, await claim(t, device, jobId), { embeddings: [vector, vector] })).kind;
    };
    expect(await send(devices[0], [1])).toBe("completed");
    expect(await send(devices[1], [1, 0])).toBe("completed");
    expect(await send(devices[2], [1, 0])).toBe("completed");
    expect(await send(devices[0], [1])).toBe("refused");
    expect(await send(devices[0], [0, 1])).toBe("completed");
  });

  it("refuses vectors as the answer to a chat", async () => {
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, await submit(t, acme));
    expect(await answerWith(device, attemptId, { embeddings: [good] })).toMatchObject({ kind: "refused" });
  });
});

describe("stored data", () => {
  it("lets no device submit jobs in the name of a requester", async () => {
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, await submit(t, acme));
    const jobs = [{ kind: "chat", payload: chat() }];
    const call = { key: device.key, attemptId, first: 0, jobs };
    expect(await t.mutation(api.work.submit, call)).toEqual({ kind: "not-allowed", most: 0 });
  });

  it("deletes chunks ten minutes after the end, prompt and answer after a day", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { stream: true });
    const attemptId = await claim(t, device, jobId);
    await append(device, attemptId, 0, "Hel");
    await complete(t, device, attemptId);
    const left = async () => [
      (await watch(jobId)).chunks.length > 0,
      ...(await t.run(async (ctx) => [
        (await queue.payload(ctx, acme.organizationId, jobId)) !== null,
        (await queue.result(ctx, acme.organizationId, jobId)) !== null,
      ])),
    ];
    await pass(t, 9 * 60_000);
    expect(await left()).toEqual([true, true, true]);
    await pass(t, 2 * 60_000);
    expect(await left()).toEqual([false, true, true]);
    await purgeQueue(t);
    expect(await left()).toEqual([false, true, true]);
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    await purgeQueue(t);
    expect(await left()).toEqual([false, false, false]);
    expect(await watch(jobId)).toMatchObject({ status: "succeeded", result: null });
  });
});
