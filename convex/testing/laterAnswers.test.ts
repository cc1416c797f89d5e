import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { webhookEvents } from "../../app/webhooks/events.ts";
import { internal } from "../_generated/api.js";
import { orderOf } from "../model/orders/orders.ts";
import { type ApiCall, callApi } from "./apiCall.fixture.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  answer,
  type Backend,
  completeWith,
  type Device,
  expectBooksInOrder,
  fail,
  modelId,
  type Organization,
  purgeQueue,
  startBackend,
  take,
} from "./backend.fixture.ts";

// The answer of a call of several jobs that nobody waits for: how long it is kept.

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme, "one");
});

afterEach(() => {
  vi.useRealTimers();
});

const hourMs = 3_600_000;
const started = Date.now();

/** Lets the clock go on. Scheduled functions of later do not run by themselves. */
function at(hours: number): void {
  vi.useFakeTimers({ now: started + hours * hourMs, toFake: ["Date"] });
}

async function call(path: string, init?: ApiCall): Promise<Response> {
  return await callApi(t, acme.apiKey, path, init);
}

type Call = { readonly id: string; readonly jobs: readonly string[] };

async function ask(body: object, path = "/v1/chat/completions", headers: object = {}): Promise<Call> {
  const response = await call(path, { body, headers: { prefer: "respond-async", ...headers } });
  expect(response.status).toBe(202);
  return (await response.json()) as Call;
}

type Choices = { readonly choices: readonly { readonly message: { readonly content: string } }[] };

const resultOf = async ({ id }: Call): Promise<Response> => await call(`/v1/jobs/${id}/result`);

async function answerNext(text: string): Promise<void> {
  const [job] = await take(t, device, 1);
  await completeWith(t, device, job!.attemptId, answer(text));
}

async function scheduled(part: string) {
  const all = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
  return all.filter(({ name }) => name.includes(part));
}

/** When the looks at the kept answers are due, in hours. */
async function looks(): Promise<readonly number[]> {
  return (await scheduled("answers:keep"))
    .filter(({ state }) => state.kind === "pending")
    .map(({ scheduledTime }) => Math.round((scheduledTime - started) / hourMs));
}

async function look(): Promise<void> {
  const row = await t.run(async (ctx) => await ctx.db.query("calls").first());
  await t.mutation(internal.calls.answers.keep, { callId: row!._id });
}

/** A vector as devices send it, and as base64 answers have it. */
const packed = (...numbers: readonly number[]) =>
  Buffer.from(new Uint8Array(Float32Array.from(numbers).buffer)).toString("base64");

/** The device answers the next job of vectors with the same vector for each input. */
async function answerVectors(vector: string): Promise<void> {
  const [job] = await take(t, device, 1);
  const { inputs } = job!.payload as unknown as { readonly inputs: readonly string[] };
  await completeWith(t, device, job!.attemptId, {
    result: { embeddings: inputs.map(() => vector) },
    report: {
      usage: { promptTokens: inputs.length, completionTokens: 0 },
      timing: { prefillMs: 1, generateMs: 0 },
    },
  });
}

/** Adds a webhook that is told everything. */
async function addWebhook(): Promise<void> {
  await t.run(async (ctx) => {
    const { organizationId } = acme;
    const row = { url: "http://127.0.0.1:9/hook", secret: "plain.x", createdAt: 0 };
    await ctx.db.insert("webhooks", { organizationId, ...row, events: [...webhookEvents] });
  });
}

/** The events about a job or call that webhooks are told. */
async function told(id: string): Promise<readonly string[]> {
  const all = await t.run(async (ctx) => await ctx.db.query("webhookDeliveries").collect());
  return all.flatMap(({ type, data }) =>
    (JSON.parse(data) as { readonly id: string }).id === id ? [`${type} ${data}`] : [],
  );
}

const inputsOf = (count: number) => Array.from({ length: count }, (_, index) => `text ${String(index)}`);

const chat = { model: modelId, messages: [{ role: "user", content: "Which city?" }], max_tokens: 64 };

describe("the answer of a call of several jobs", () => {
  it("is kept for a day after its end, however long its last job waits", async () => {
    const asked = await ask({ ...chat, n: 2 }, undefined, { "gleaner-expires-in": "259200" });
    await answerNext("Oslo");
    expect(await looks()).toEqual([12]);
    for (const hours of [12, 24, 36]) {
      at(hours);
      await look();
      await purgeQueue(t);
    }
    at(40);
    await answerNext("Rome");
    at(48);
    await look();
    at(63);
    await purgeQueue(t);
    const { choices } = (await (await resultOf(asked)).json()) as Choices;
    expect(choices.map(({ message }) => message.content).toSorted()).toEqual(["Oslo", "Rome"]);
    at(65);
    await purgeQueue(t);
    await expectError(await resultOf(asked), 410, { code: "result_expired" });
  });

  it("is not kept any longer if its call fails, since nobody can fetch it", async () => {
    const { jobs } = await ask({ ...chat, n: 2 });
    await answerNext("Oslo");
    at(11);
    const [job] = await take(t, device, 1);
    await fail(t, device, job!.attemptId, { retryable: false });
    at(12);
    await look();
    at(25);
    await purgeQueue(t);
    const results = await Promise.all(jobs.map(async (id) => (await resultOf({ id, jobs: [] })).status));
    expect(results.toSorted()).toEqual([400, 410]);
  });

  it("fails its call if it was deleted before the others came, so that these are not paid", async () => {
    const asked = await ask({ ...chat, n: 3 });
    at(1);
    await answerNext("Oslo");
    // The server was off when the look was due, and deletes the answer before it looks.
    at(26);
    await purgeQueue(t);
    await look();
    const state = (await (await call(`/v1/jobs/${asked.id}`)).json()) as object;
    expect(state).toMatchObject({ status: "failed", error: { code: "result_expired" } });
    const statuses = (await allJobs(t, acme)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(["canceled", "canceled", "succeeded"]);
    await expectError(await resultOf(asked), 410, { code: "result_expired" });
    await expectBooksInOrder(t);
  });

  it("is kept no longer than its jobs if all of them end at about the same time", async () => {
    const { jobs } = await ask({ ...chat, n: 3 });
    await answerNext("Oslo");
    at(0.2);
    for (const text of ["Rome", "Bern"]) await answerNext(text);
    at(12);
    await look();
    at(24.1);
    await purgeQueue(t);
    const results = await Promise.all(jobs.map(async (id) => (await resultOf({ id, jobs: [] })).status));
    expect(results.toSorted()).toEqual([200, 200, 410]);
  });

  it("is kept with the answers that were compared and the first request only", async () => {
    const { jobs } = await ask({ ...chat, n: 3 });
    for (const text of ["Oslo", "Rome", "Bern"]) await answerNext(text);
    const [, answer = ""] = jobs;
    await t.run(async (ctx) => {
      const row = await ctx.db.query("calls").first();
      const opinion = { votes: 1, agreed: 1, confidence: 1, escalated: false };
      const decision = { answer, ballots: [answer], opinion };
      await ctx.db.patch("calls", row!._id, { end: { at: started + 11 * hourMs, how: "decided", decision } });
    });
    at(12);
    await look();
    at(25);
    await purgeQueue(t);
    const results = await Promise.all(jobs.map(async (id) => (await resultOf({ id, jobs: [] })).status));
    expect(results).toEqual([200, 200, 410]);
  });

  it("has the encoding that its call asks for, if it comes within the wait", async () => {
    const body = { model: modelId, input: inputsOf(33), encoding_format: "base64" };
    const waiting = call("/v1/embeddings", { body, headers: { prefer: "respond-async, wait=60" } });
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(2);
    for (const _ of [1, 2]) await answerVectors(packed(1, 0));
    const { data } = (await (await waiting).json()) as { readonly data: readonly { embedding: unknown }[] };
    expect(data).toHaveLength(33);
    expect(data[32]!.embedding).toBe(packed(1, 0));
  });
});

describe("a call of several jobs", () => {
  const callAt = async ({ id }: Call) => (await (await call(`/v1/jobs/${id}`)).json()) as object;

  it("tells how its last job that waits does, also while others run", async () => {
    const asked = await ask({ ...chat, n: 3 });
    expect(await callAt(asked)).toMatchObject({
      status: "queued",
      queue: { jobs_ahead: expect.any(Number) },
    });
    const jobs = await take(t, device, 1);
    expect(await callAt(asked)).toMatchObject({
      status: "running",
      waits_for: "busy",
      queue: { jobs_ahead: expect.any(Number), devices_ready: 1 },
    });
    await completeWith(t, device, jobs[0]!.attemptId, answer("Oslo"));
    for (const text of ["Rome", "Bern"]) await answerNext(text);
    expect(await callAt(asked)).toMatchObject({ status: "succeeded", waits_for: null, queue: null });
  });

  it("ends once the first vectors show that all of them are too much for an answer", async () => {
    const body = { model: modelId, input: inputsOf(33 * 32) };
    const asked = await ask(body, "/v1/embeddings");
    await answerVectors(Buffer.alloc(4 * 3_000).toString("base64"));
    const open = async () => (await allJobs(t, acme)).filter(({ status }) => status === "ready").length;
    await expect.poll(async () => await open()).toBe(0);
    expect(await callAt(asked)).toMatchObject({ status: "failed", error: { code: "result_too_large" } });
    await expectError(await resultOf(asked), 400, { code: "result_too_large", param: "input" });
    const statuses = (await allJobs(t, acme)).map(({ status }) => status);
    expect(statuses.filter((status) => status === "succeeded")).toHaveLength(1);
    expect(statuses.filter((status) => status === "canceled")).toHaveLength(32);
    await expectBooksInOrder(t);
  });

  it("of vectors that are too much as numbers has them as base64", async () => {
    const count = 9 * 32;
    const asked = await ask({ model: modelId, input: inputsOf(count) }, "/v1/embeddings");
    for (let at = 0; at < 9; at++) await answerVectors(Buffer.alloc(4 * 3_000).toString("base64"));
    expect(await callAt(asked)).toMatchObject({ status: "succeeded" });
    const refused = await resultOf(asked);
    expect(await refused.clone().text()).toContain("base64");
    await expectError(refused, 400, { code: "result_too_large", param: "input" });
    const answered = await call(`/v1/jobs/${asked.id}/result?encoding_format=base64`);
    expect(((await answered.json()) as { readonly data: readonly object[] }).data).toHaveLength(count);
  });

  it("for numbers alone ends as soon, since it has no base64", async () => {
    const body = { model: modelId, input: inputsOf(9 * 32) };
    const asked = await ask(body, "/api/embed");
    await answerVectors(Buffer.alloc(4 * 3_000).toString("base64"));
    await expect.poll(async () => await callAt(asked)).toMatchObject({ status: "failed" });
    expect((await resultOf(asked)).status).toBe(400);
  });

  it("for vectors that are too much stays answered if all jobs are before the check", async () => {
    await addWebhook();
    const asked = await ask({ model: modelId, input: inputsOf(9 * 32) }, "/api/embed");
    // A step that is due keeps the jobs' ends from scheduling another one.
    const stepAt = Date.now();
    const row = await t.run(async (ctx) => {
      const first = await ctx.db.query("calls").first();
      await ctx.db.patch("calls", first!._id, { stepAt });
      return first!;
    });
    for (let job = 0; job < 9; job++) await answerVectors(Buffer.alloc(4 * 3_000).toString("base64"));
    await t.mutation(internal.calls.steps.goOn, { callId: row._id, at: stepAt });
    expect(await callAt(asked)).toMatchObject({ status: "succeeded" });
    expect(await told(asked.id)).toEqual([
      `job.completed ${JSON.stringify({ id: asked.id, status: "succeeded" })}`,
    ]);
    expect((await resultOf(asked)).status).toBe(400);
  });

  it("for a ranking of one job checks nothing, since the vectors of one job always fit", async () => {
    const ranking = { model: modelId, query: "Oslo", documents: ["Bergen", "Rome"] };
    const asked = await ask(ranking, "/v1/rerank");
    expect(asked.jobs).toHaveLength(1);
    const row = await t.run(async (ctx) => await ctx.db.query("calls").first());
    expect(row).not.toHaveProperty("vectors");
    await answerVectors(packed(1, 0));
    expect(await scheduled("steps:goOn")).toEqual([]);
    expect((await resultOf(asked)).status).toBe(200);
  });

  it("tells webhooks how it has ended", async () => {
    await addWebhook();
    const done = await ask({ ...chat, n: 2 });
    await answerNext("Oslo");
    expect(await told(done.id)).toEqual([]);
    await answerNext("Rome");
    expect(await told(done.id)).toEqual([
      `job.completed ${JSON.stringify({ id: done.id, status: "succeeded" })}`,
    ]);
    const failed = await ask({ ...chat, n: 3 });
    await answerNext("Oslo");
    const [job] = await take(t, device, 1);
    await fail(t, device, job!.attemptId, { retryable: false });
    await expect
      .poll(async () => (await allJobs(t, acme)).some(({ status }) => status === "ready"))
      .toBe(false);
    expect(await told(failed.id)).toEqual([
      `job.failed ${JSON.stringify({ id: failed.id, status: "failed" })}`,
    ]);
    const canceled = await ask({ ...chat, n: 2 });
    await call(`/v1/jobs/${canceled.id}/cancel`, { method: "POST" });
    expect(await told(canceled.id)).toHaveLength(1);
  });

  it("tells that one of its answers was found wrong", async () => {
    const asked = await ask({ ...chat, n: 2 });
    for (const text of ["Oslo", "Rome"]) await answerNext(text);
    expect(await callAt(asked)).toMatchObject({ found_wrong: null });
    const [first = "", second = ""] = asked.jobs;
    await t.run(async (ctx) => {
      for (const [jobId, at] of [
        [first, 9_000],
        [second, 5_000],
      ] as const) {
        const order = await orderOf(ctx, jobId);
        await ctx.db.patch("orders", order!._id, { foundWrong: { at, correctedBy: `for ${jobId}` } });
      }
    });
    expect(await callAt(asked)).toMatchObject({ found_wrong: { at: 5, corrected_by: `for ${second}` } });
  });
});
