import type { ClaimedJob } from "@gleaner/queue/validators";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../app/jobs/limits.ts";
import { webhookEvents } from "../../app/webhooks/events.ts";
import { api, internal } from "../_generated/api.js";
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
  listKeys,
  modelId,
  type Organization,
  purgeQueue,
  signIn,
  startBackend,
  take,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

// A call of several jobs that is answered with itself as a job, and whose answer is fetched later.

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  session = await signIn(t, acme);
  device = await addDevice(t, acme, "one", [modelId, large]);
});

afterEach(() => {
  vi.useRealTimers();
});

const large = "large-1b";
const chat = {
  model: modelId,
  messages: [{ role: "user", content: "Which city?" }],
  seed: 7,
  max_tokens: 64,
};
const completion = { model: modelId, prompt: ["One", "Two"], seed: 7 };

type Call = {
  readonly id: string;
  readonly status: string;
  readonly endpoint: string;
  readonly jobs: readonly string[];
  readonly result_url: string;
  readonly price_micro: string | null;
};

async function call(path: string, init?: ApiCall, apiKey = acme.apiKey): Promise<Response> {
  return await callApi(t, apiKey, path, init);
}

const later = { prefer: "respond-async" };

/** Asks for an answer that is fetched later. */
async function ask(body: object, path = "/v1/chat/completions", headers: object = {}): Promise<Call> {
  const response = await call(path, { body, headers: { ...later, ...headers } });
  expect(response.status).toBe(202);
  expect(response.headers.get("preference-applied")).toBe("respond-async");
  const asked = (await response.json()) as Call;
  expect(response.headers.get("location")).toBe(`/v1/jobs/${asked.id}`);
  expect(response.headers.get("x-gleaner-job")).toBe(asked.id);
  return asked;
}

const callAt = async (id: string): Promise<Call> => (await (await call(`/v1/jobs/${id}`)).json()) as Call;
const statusOf = async (id: string): Promise<string> => (await callAt(id)).status;
const resultOf = async (id: string, headers: object = {}): Promise<Response> =>
  await call(`/v1/jobs/${id}/result`, { headers });
const statuses = async () => (await allJobs(t, acme)).map(({ status }) => status).toSorted();

/** The device answers the next jobs with their seeds. */
async function answerWithSeeds(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await takeJob(t, device, async ({ request, complete }) => {
      if (!("seed" in request)) throw new Error("a job without a seed");
      await complete(`seed ${request.seed}`);
    });
  }
}

const failNext = async () =>
  await takeJob(
    t,
    device,
    async ({ attemptId }) => void (await fail(t, device, attemptId, { retryable: false })),
  );

/** Takes the next job of vectors. An input's vector has its number, or the number of its letters. */
async function answerVectors(): Promise<void> {
  const [job] = await take(t, device, 1);
  const { inputs } = job!.payload as unknown as { readonly inputs: readonly string[] };
  const vectors = inputs.map((text) => {
    const angle = text.length / 10;
    const floats = Float32Array.of(Math.cos(angle), Math.sin(angle));
    return Buffer.from(new Uint8Array(floats.buffer)).toString("base64");
  });
  await completeWith(t, device, job!.attemptId, {
    result: { embeddings: vectors },
    report: {
      usage: { promptTokens: inputs.length, completionTokens: 0 },
      timing: { prefillMs: 1, generateMs: 0 },
    },
  });
}

describe("a call of several choices", () => {
  it("is answered later as it would have been at once", async () => {
    const asked = await ask({ ...chat, n: 3 });
    expect(asked).toMatchObject({
      object: "job",
      endpoint: "/v1/chat/completions",
      status: "queued",
      attempts: 0,
      usage: null,
      price_micro: null,
      result_url: null,
      receipt_url: null,
      call: null,
    });
    expect(asked.id).toMatch(/^jobs_/);
    expect(asked.jobs).toHaveLength(3);
    const early = await resultOf(asked.id);
    expect([early.status, early.headers.get("preference-applied")]).toEqual([202, null]);
    expect(await early.json()).toMatchObject({ id: asked.id, status: "queued" });
    await answerWithSeeds(1);
    expect(await callAt(asked.id)).toMatchObject({ status: "running", attempts: 1, price_micro: null });
    await answerWithSeeds(2);
    const done = await callAt(asked.id);
    expect(done).toMatchObject({
      status: "succeeded",
      attempts: 3,
      usage: { prompt_tokens: 30, completion_tokens: 9 },
      price_micro: "114",
      result_url: `/v1/jobs/${asked.id}/result`,
      receipt_url: null,
      error: null,
    });
    const result = await call(done.result_url);
    expect(result.headers.get("x-gleaner-job")).toBe(asked.jobs.join(", "));
    expect(result.headers.get("x-gleaner-price")).toBe("114");
    const body = (await result.json()) as object;
    expect(body).toMatchObject({
      id: `chatcmpl-${asked.jobs[0]!}`,
      choices: [7, 8, 9].map((seed, index) => ({ index, message: { content: `seed ${seed}` } })),
      usage: { total_tokens: 39 },
    });
    // A call that waits gets the same.
    const waiting = call("/v1/chat/completions", { body: { ...chat, n: 3 } });
    await answerWithSeeds(3);
    const known = { id: expect.any(String), created: expect.any(Number) };
    expect(await (await waiting).json()).toEqual({ ...body, ...known });
    await expectBooksInOrder(t);
  });

  it("names its jobs, which name it", async () => {
    const { id, jobs } = await ask({ ...chat, n: 2 });
    const own = (await (await call(`/v1/jobs/${jobs[1]!}`)).json()) as object;
    expect(own).toMatchObject({ id: jobs[1], call: id, jobs: null });
    const list = (await (await call("/v1/jobs")).json()) as { readonly data: readonly object[] };
    expect(list.data).toMatchObject([{ call: id }, { call: id }]);
  });

  it("is waited for as long as its requester asks", async () => {
    const body = { ...chat, n: 2 };
    const short = await call("/v1/chat/completions", {
      body,
      headers: { prefer: "respond-async, wait=1" },
    });
    const { id } = (await short.json()) as Call;
    expect([short.status, short.headers.get("preference-applied")]).toEqual([202, "respond-async"]);
    const waiting = resultOf(id, { prefer: "wait=60" });
    await answerWithSeeds(2);
    expect(await (await waiting).json()).toMatchObject({
      choices: [{ message: { content: "seed 7" } }, { message: { content: "seed 8" } }],
    });
    const quick = call("/v1/chat/completions", { body, headers: { prefer: "respond-async, wait=60" } });
    await expect.poll(statuses).toContain("ready");
    await answerWithSeeds(2);
    expect((await quick).status).toBe(200);
    expect(await t.run(async (ctx) => await ctx.db.query("waits").collect())).toEqual([]);
  });

  it("fails as soon as one of its jobs does, and its other jobs are canceled", async () => {
    const { id } = await ask({ ...chat, n: 3 });
    await answerWithSeeds(1);
    await failNext();
    await expect.poll(statuses).toEqual(["canceled", "failed", "succeeded"]);
    expect(await callAt(id)).toMatchObject({
      status: "failed",
      error: { code: "context_length_exceeded" },
      price_micro: "38",
    });
    await expectError(await resultOf(id), 400, { code: "context_length_exceeded", param: "messages" });
    await expectBooksInOrder(t);
  });

  it("is canceled with all of its jobs, and can be canceled again", async () => {
    const { id } = await ask({ ...chat, n: 3 });
    await answerWithSeeds(1);
    const cancel = async () => await call(`/v1/jobs/${id}/cancel`, { method: "POST" });
    expect(await (await cancel()).json()).toMatchObject({ id, status: "canceled" });
    expect(await statuses()).toEqual(["canceled", "canceled", "succeeded"]);
    expect((await cancel()).status).toBe(200);
    await expectError(await resultOf(id), 409, { code: "job_canceled" });
    const { id: done } = await ask({ ...chat, n: 2 });
    await answerWithSeeds(2);
    await expectError(await call(`/v1/jobs/${done}/cancel`, { method: "POST" }), 409, { code: "job_ended" });
    await expectBooksInOrder(t);
  });

  it("changes the priority of all jobs that no device has started", async () => {
    const { id } = await ask({ ...chat, n: 3 });
    await answerWithSeeds(1);
    const raise = async () => await call(`/v1/jobs/${id}/priority`, { body: { service_tier: "priority" } });
    expect(await (await raise()).json()).toEqual({ id, object: "job", service_tier: "priority" });
    const priorities = (await allJobs(t, acme)).map(({ status, priority }) => `${status} ${priority}`);
    expect(priorities.toSorted()).toEqual(["ready high", "ready high", "succeeded normal"]);
    await answerWithSeeds(2);
    await expectError(await raise(), 409, { code: "job_not_queued" });
  });

  it("has no receipt and no rating, but its jobs have", async () => {
    const { id, jobs } = await ask({ ...chat, n: 2 });
    const rating = { body: { rating: "good" } };
    for (const [path, init] of [
      ["receipt", {}],
      ["rating", {}],
      ["rating", rating],
      ["rating", { method: "DELETE" }],
    ] as const) {
      const response = await call(`/v1/jobs/${id}/${path}`, init);
      const { error } = (await response.json()) as { readonly error: { code: string; message: string } };
      expect([response.status, error.code]).toEqual([400, "several_jobs"]);
      expect(error.message).toContain(jobs.join(", "));
    }
    await expectError(await call(`/v1/jobs/${id}/nothing`), 404, { code: "unknown_url" });
    await expectError(await call(`/v1/jobs/${id}/cancel`), 405, { code: "method_not_allowed" });
  });

  it("is hidden from every other key", async () => {
    const { id } = await ask({ ...chat, n: 2 });
    const other = await addOrganization(t, { name: "Other" });
    for (const path of ["", "/result", "/events", "/receipt"])
      await expectError(await call(`/v1/jobs/${id}${path}`, {}, other.apiKey), 404, { code: "not_found" });
    for (const [path, init] of [
      ["cancel", { method: "POST" }],
      ["priority", { body: { service_tier: "flex" } }],
    ] as const)
      await expectError(await call(`/v1/jobs/${id}/${path}`, init, other.apiKey), 404, { code: "not_found" });
    await expectError(await call("/v1/jobs/jobs_none"), 404, { code: "not_found" });
    expect(await statusOf(id)).toBe("queued");
  });

  it("is found by its idempotency key, also if the first call has waited", async () => {
    const key = { "idempotency-key": "order-30" };
    const first = await ask({ ...chat, n: 2 }, undefined, key);
    expect((await ask({ ...chat, n: 2 }, undefined, key)).id).toBe(first.id);
    expect(await allJobs(t, acme)).toHaveLength(2);
    for (const n of [1, 3])
      await expectError(
        await call("/v1/chat/completions", { body: { ...chat, n }, headers: { ...later, ...key } }),
        409,
        { code: "idempotency_conflict" },
      );
    const other = { "idempotency-key": "order-31" };
    const waiting = call("/v1/chat/completions", { body: { ...chat, n: 2 }, headers: other });
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(4);
    const { id } = await ask({ ...chat, n: 2 }, undefined, other);
    await answerWithSeeds(4);
    expect((await waiting).status).toBe(200);
    expect(await statusOf(id)).toBe("succeeded");
    expect(await allJobs(t, acme)).toHaveLength(4);
  });

  it("has all of its jobs or none", async () => {
    await ask({ ...chat, n: 2 });
    const [one] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const poor = await addOrganization(t, { name: "Poor", creditsMicro: one!.reservedMicro * 2n });
    await addDevice(t, poor, "poor");
    const response = await call(
      "/v1/chat/completions",
      { body: { ...chat, n: 8 }, headers: later },
      poor.apiKey,
    );
    await expectError(response, 429, { code: "insufficient_quota" });
    expect(await allJobs(t, poor)).toEqual([]);
    const calls = await t.run(async (ctx) => await ctx.db.query("calls").collect());
    expect(calls.map(({ organizationId }) => organizationId)).toEqual([acme.organizationId]);
  });

  it("ends with its key", async () => {
    const { id } = await ask({ ...chat, n: 2 });
    const { keyId } = (await listKeys(t, session))[0]!;
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expect.poll(statuses).toEqual(["canceled", "canceled"]);
    await expectError(await call(`/v1/jobs/${id}`), 401, { code: "invalid_api_key" });
  });

  it("needs the scope of jobs", async () => {
    const { keyId } = (await listKeys(t, session))[0]!;
    await t.mutation(api.console.keys.setAccess, { session, keyId, scopes: ["inference"] });
    const response = await call("/v1/chat/completions", { body: { ...chat, n: 2 }, headers: later });
    await expectError(response, 403, { code: "insufficient_scope" });
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it("completes several prompts", async () => {
    const { id, endpoint } = await ask({ ...completion, n: 2 }, "/v1/completions");
    expect(endpoint).toBe("/v1/completions");
    await answerWithSeeds(4);
    expect(await (await resultOf(id)).json()).toMatchObject({
      object: "text_completion",
      choices: [7, 8, 7, 8].map((seed, index) => ({ index, text: `seed ${seed}` })),
    });
  });

  it("is deleted after its jobs, and its answer a day after its end", async () => {
    const { id } = await ask({ ...chat, n: 2 });
    await answerWithSeeds(2);
    const rows = async () => await t.run(async (ctx) => (await ctx.db.query("calls").collect()).length);
    const dayMs = 24 * 3_600_000;
    vi.useFakeTimers({ now: Date.now() + dayMs + 60_000, toFake: ["Date"] });
    await purgeQueue(t);
    await expectError(await resultOf(id), 410, { code: "result_expired" });
    expect(await statusOf(id)).toBe("succeeded");
    await t.mutation(internal.maintenance.deleteOld, {});
    expect(await rows()).toBe(1);
    vi.setSystemTime(Date.now() + 100 * dayMs);
    await t.mutation(internal.maintenance.deleteOld, {});
    expect(await rows()).toBe(0);
    await expectError(await call(`/v1/jobs/${id}`), 404, { code: "not_found" });
  });
});

type Event = { readonly id: string | null; readonly name: string; readonly data: Record<string, unknown> };

/** The events of a call, until its stream ends. */
async function eventsOf(id: string, headers: object = {}): Promise<readonly Event[]> {
  const text = await (await call(`/v1/jobs/${id}/events`, { headers })).text();
  return text.split("\n\n").flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
    const name = field("event");
    const data = JSON.parse(field("data") ?? "{}") as Event["data"];
    return name === null ? [] : [{ id: field("id"), name, data }];
  });
}

describe("the events of a call of several jobs", () => {
  it("tell its status and the text of each choice, and go on after the last one", async () => {
    const { id } = await ask({ ...chat, n: 2 });
    const reading = eventsOf(id);
    await answerWithSeeds(2);
    const events = await reading;
    expect(events[0]).toMatchObject({ name: "job", data: { id, ended_at: null } });
    expect(events.at(-1)).toMatchObject({ name: "job", data: { id, status: "succeeded" } });
    const texts = events.filter(({ name }) => name === "text");
    for (const index of [0, 1]) {
      const own = texts.filter(({ data }) => data["index"] === index);
      expect(own.map(({ data }) => data["text"]).join("")).toBe(`seed ${7 + index}`);
    }
    const again = await eventsOf(id, { "last-event-id": texts.at(-1)!.id! });
    expect(again.filter(({ name }) => name === "text" || name === "restart")).toEqual([]);
    const fromFirst = await eventsOf(id, { "last-event-id": texts[0]!.id! });
    const left = fromFirst.filter(({ name }) => name === "text").map(({ data }) => data["index"]);
    expect(left).toEqual([1 - Number(texts[0]!.data["index"])]);
  });

  it("end if the call is canceled", async () => {
    const { id } = await ask({ ...chat, n: 2 });
    const reading = eventsOf(id);
    await call(`/v1/jobs/${id}/cancel`, { method: "POST" });
    expect((await reading).at(-1)).toMatchObject({ name: "job", data: { status: "canceled" } });
  });
});

describe("vectors of many inputs", () => {
  const input = Array.from({ length: 70 }, (_, at) => "x".repeat(at + 1));

  it("are several jobs, and come in the order of their inputs", async () => {
    const { id, jobs } = await ask({ model: modelId, input, encoding_format: "base64" }, "/v1/embeddings");
    expect(jobs).toHaveLength(3);
    for (let job = 0; job < 3; job++) await answerVectors();
    const numbers = (await (await resultOf(id)).json()) as {
      data: { index: number; embedding: number[] }[];
    };
    expect(numbers.data).toHaveLength(70);
    expect(numbers.data[69]).toMatchObject({ index: 69 });
    expect(numbers.data[69]!.embedding[0]).toBeCloseTo(Math.cos(7), 5);
    const base64 = await call(`/v1/jobs/${id}/result?encoding_format=base64`);
    expect(await base64.json()).toMatchObject({ data: { 0: { embedding: expect.any(String) } } });
    await expectError(await call(`/v1/jobs/${id}/result?encoding_format=x`), 400, { code: "invalid_value" });
    const events = await eventsOf(id);
    expect(events.map(({ name }) => name)).toEqual(["job"]);
  });

  it("may be as many as a call that waits may have", async () => {
    const most = Array.from({ length: limits.embeddingInputsOfCall }, () => "x");
    const { jobs } = await ask({ model: modelId, input: most }, "/v1/embeddings");
    expect(jobs).toHaveLength(64);
  });

  it("have the form of Ollama's call", async () => {
    const { id, endpoint } = await ask({ model: modelId, input }, "/api/embed");
    expect(endpoint).toBe("/api/embed");
    for (let job = 0; job < 3; job++) await answerVectors();
    const body = (await (await resultOf(id)).json()) as { readonly embeddings: readonly unknown[] };
    expect(body).toMatchObject({ model: modelId, prompt_eval_count: 70 });
    expect(body.embeddings).toHaveLength(70);
  });
});

describe("a ranking", () => {
  const ranking = { model: modelId, query: "x".repeat(10), documents: ["x", "x".repeat(11)], top_n: 1 };

  it("is answered later, with its documents", async () => {
    const { id, endpoint, jobs } = await ask(ranking, "/v1/rerank");
    expect([endpoint, jobs.length]).toEqual(["/v1/rerank", 1]);
    await answerVectors();
    expect(await (await resultOf(id)).json()).toMatchObject({
      id: `rerank-${jobs[0]!}`,
      results: [{ index: 1, document: { text: ranking.documents[1] } }],
    });
    const bare = await ask({ ...ranking, return_documents: false, top_n: 2 }, "/v1/rerank");
    await answerVectors();
    const { results } = (await (await resultOf(bare.id)).json()) as { readonly results: readonly object[] };
    expect(results).toEqual([
      { index: 1, relevance_score: expect.any(Number) },
      { index: 0, relevance_score: expect.any(Number) },
    ]);
  });

  it("is another one if only its number of results differs", async () => {
    const key = { "idempotency-key": "order-32" };
    const { id } = await ask(ranking, "/v1/rerank", key);
    expect((await ask(ranking, "/v1/rerank", key)).id).toBe(id);
    const headers = { ...later, ...key };
    await expectError(await call("/v1/rerank", { body: { ...ranking, top_n: 2 }, headers }), 409, {
      code: "idempotency_conflict",
    });
  });
});

describe("second opinions that nobody waits for", () => {
  let devices: readonly Device[];
  /** Attempts that a device has seen already: it may be shown them again. */
  const seen = new Set<string>();

  beforeEach(async () => {
    seen.clear();
    const both = [modelId, large];
    devices = [device, await addDevice(t, acme, "two", both), await addDevice(t, acme, "three", both)];
    // The lane exists from now on, so idle devices wait in it.
    await ask({ ...chat, n: 2 });
    await answerWithSeeds(2);
  });

  const voted = { ...chat, x_gleaner: { votes: 3 } };
  const newJobs = async () => (await allJobs(t, acme)).slice(0, -2).toReversed();
  const newStatuses = async () => (await newJobs()).map(({ status }) => status);

  /** The devices wait for jobs from now on. */
  async function wait(...idle: readonly Device[]): Promise<void> {
    for (const each of idle) expect(await take(t, each)).toEqual([]);
  }

  /** The next job that the device is handed. */
  async function handed({ key }: Device): Promise<Pick<ClaimedJob, "attemptId" | "payload">> {
    for (;;) {
      const job = (await t.query(api.work.handed, { key })).find(({ attemptId }) => !seen.has(attemptId));
      if (job !== undefined) {
        seen.add(job.attemptId);
        return job;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The devices answer one vote each. Which of them has the first one is up to chance. */
  async function answerAll(...texts: readonly string[]): Promise<void> {
    const jobs = await Promise.all(devices.map(handed));
    const seeds = jobs.map(({ payload }) => (payload as { seed: number }).seed);
    for (const [index, text] of texts.entries()) {
      const at = seeds.indexOf(7 + index);
      await completeWith(t, devices[at]!, jobs[at]!.attemptId, answer(text));
    }
  }

  async function addLarge(): Promise<void> {
    const entry = {
      modelId: large,
      source: "https://models.example/large.gguf",
      sha256: "cd".repeat(32),
      sizeBytes: 900_000_000,
      licence: "MIT",
      contextTokens: 1_024,
      template: null,
      pieces: null,
    };
    const price = { promptMicro: 20n, completionMicro: 60n };
    await t.mutation(api.console.models.add, { session, entry, price });
  }

  it("are compared by themselves", async () => {
    await wait(...devices);
    const { id } = await ask(voted);
    await answerAll("Bergen", "Oslo", "oslo.");
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    const { jobs, price_micro: price } = await callAt(id);
    expect([jobs, price]).toEqual([(await newJobs()).map(({ jobId }) => jobId), "114"]);
    expect((await newJobs()).map(({ priority }) => priority)).toEqual(["normal", "low", "low"]);
    const result = await resultOf(id);
    expect(result.headers.get("x-gleaner-job")).toBe(jobs.join(", "));
    expect(await result.json()).toMatchObject({
      id: `chatcmpl-${jobs[1]!}`,
      choices: [{ index: 0, message: { content: "Oslo" } }],
      usage: { prompt_tokens: 30, completion_tokens: 9 },
      x_gleaner: { votes: 3, agreed: 2, confidence: expect.any(Number), escalated: false },
    });
    const [row] = await t.run(async (ctx) => await ctx.db.query("voteTallies").collect());
    expect(row?.tally).toEqual({ "2-1": 1 });
    expect(await eventsOf(id)).toMatchObject([
      { name: "text", data: { index: 0, text: "Oslo" } },
      { name: "job" },
    ]);
    await expectBooksInOrder(t);
  });

  it("are asked of idle devices when the first answer comes, if none was idle before", async () => {
    const { id } = await ask(voted);
    const [first] = await take(t, devices[0]!, 1);
    await wait(devices[1]!, devices[2]!);
    await completeWith(t, devices[0]!, first!.attemptId, answer("Oslo"));
    const [one, other] = await Promise.all(devices.slice(1).map(handed));
    await completeWith(t, devices[1]!, one!.attemptId, answer("Oslo"));
    await completeWith(t, devices[2]!, other!.attemptId, answer("Bergen"));
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    expect(await (await resultOf(id)).json()).toMatchObject({ x_gleaner: { votes: 3, agreed: 2 } });
  });

  it("are escalated to a larger model", async () => {
    await addLarge();
    await wait(...devices);
    const { id } = await ask(voted);
    await answerAll("Oslo", "Bergen", "Narvik");
    await expect.poll(async () => (await newJobs()).length).toBe(4);
    expect(await statusOf(id)).toBe("running");
    const raised = await call(`/v1/jobs/${id}/priority`, { body: { service_tier: "priority" } });
    expect(await raised.json()).toMatchObject({ id, service_tier: "priority" });
    expect((await newJobs()).map(({ priority }) => priority)).toEqual(["normal", "low", "low", "high"]);
    await takeJob(t, devices[0]!, async ({ complete }) => await complete("Bergen!"));
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    const { jobs } = await callAt(id);
    const result = await resultOf(id);
    expect(result.headers.get("x-gleaner-model-sha256")).toBe("cd".repeat(32));
    expect(await result.json()).toMatchObject({
      id: `chatcmpl-${jobs[3]!}`,
      model: large,
      choices: [{ message: { content: "Bergen!" } }],
      usage: { prompt_tokens: 40 },
      x_gleaner: { votes: 3, agreed: 1, confidence: null, escalated: true },
    });
    await expectBooksInOrder(t);
  });

  it("keep the first answer if the job of the larger model ends without one", async () => {
    await addLarge();
    await wait(...devices);
    const { id } = await ask(voted);
    await answerAll("Oslo", "Bergen", "Narvik");
    await expect.poll(async () => (await newJobs()).length).toBe(4);
    const { jobs } = await callAt(id);
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId: jobs[3]! });
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    expect(await (await resultOf(id)).json()).toMatchObject({
      model: modelId,
      choices: [{ message: { content: "Oslo" } }],
      x_gleaner: { votes: 3, agreed: 1, escalated: false },
    });
  });

  it("that are late are canceled", async () => {
    await wait(...devices);
    const { id } = await ask(voted);
    await answerAll("Oslo");
    await expect.poll(async () => await statusOf(id), { timeout: 20_000 }).toBe("succeeded");
    expect(await newStatuses()).toEqual(["succeeded", "canceled", "canceled"]);
    expect(await (await resultOf(id)).json()).toMatchObject({ x_gleaner: { votes: 1, agreed: 1 } });
    await expectBooksInOrder(t);
  });

  it("fail only if all do", async () => {
    await wait(...devices);
    const failing = async (count: number): Promise<string> => {
      const { id } = await ask(voted);
      const jobs = await Promise.all(devices.map(handed));
      const seeds = jobs.map(({ payload }) => (payload as { seed: number }).seed);
      for (const index of [0, 1, 2]) {
        const at = seeds.indexOf(7 + index);
        const { attemptId } = jobs[at]!;
        if (index < count) await fail(t, devices[at]!, attemptId, { retryable: false });
        else await completeWith(t, devices[at]!, attemptId, answer("Oslo"));
      }
      return id;
    };
    const one = await failing(1);
    await expect.poll(async () => await statusOf(one)).toBe("succeeded");
    expect(await (await resultOf(one)).json()).toMatchObject({ x_gleaner: { votes: 2, agreed: 2 } });
    await wait(...devices);
    const all = await failing(3);
    await expect.poll(async () => await statusOf(all), { timeout: 20_000 }).toBe("failed");
    expect((await newStatuses()).slice(3)).toEqual(["failed", "canceled", "canceled"]);
    await expectNoRetry(all);
    await expectError(await resultOf(all), 400, { code: "context_length_exceeded" });
    await expectError(await call(`/v1/jobs/${all}/cancel`, { method: "POST" }), 409, { code: "job_ended" });
  });

  it("are canceled together", async () => {
    await wait(...devices);
    const { id } = await ask(voted);
    const jobs = await Promise.all(devices.map(handed));
    await completeWith(t, devices[0]!, jobs[0]!.attemptId, answer("Oslo"));
    const canceled = await call(`/v1/jobs/${id}/cancel`, { method: "POST" });
    expect(await canceled.json()).toMatchObject({ status: "canceled" });
    expect((await newStatuses()).toSorted()).toEqual(["canceled", "canceled", "succeeded"]);
    await expectError(await resultOf(id), 409, { code: "job_canceled" });
    expect(await t.run(async (ctx) => await ctx.db.query("voteTallies").collect())).toEqual([]);
  });

  it("are found by their idempotency key, also by a call that waits", async () => {
    await wait(...devices);
    const key = { "idempotency-key": "order-33" };
    const { id } = await ask(voted, undefined, key);
    const waiting = call("/v1/chat/completions", { body: voted, headers: key });
    expect((await ask(voted, undefined, key)).id).toBe(id);
    await answerAll("Bergen", "Oslo", "Oslo");
    const later = await (await resultOf(id, { prefer: "wait=60" })).json();
    expect(await (await waiting).json()).toEqual(later);
    expect(await newJobs()).toHaveLength(3);
    const other = {
      body: { ...voted, x_gleaner: { votes: 2 } },
      headers: { prefer: "respond-async", ...key },
    };
    await expectError(await call("/v1/chat/completions", other), 409, { code: "idempotency_conflict" });
  });

  it("go on for a call that has waited, and count once", async () => {
    await wait(...devices);
    const key = { "idempotency-key": "order-34" };
    const waiting = call("/v1/chat/completions", { body: voted, headers: key });
    await expect.poll(async () => (await newJobs()).length).toBe(3);
    const { id } = await ask(voted, undefined, key);
    await answerAll("Bergen", "Oslo", "Oslo");
    expect(await (await waiting).json()).toMatchObject({ x_gleaner: { votes: 3, agreed: 2 } });
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    expect(await (await resultOf(id)).json()).toMatchObject({ x_gleaner: { votes: 3, agreed: 2 } });
    const [row] = await t.run(async (ctx) => await ctx.db.query("voteTallies").collect());
    expect(row?.tally).toEqual({ "2-1": 1 });
  });

  it("are asked of nobody new by the repeat of a call that had too few", async () => {
    const key = { "idempotency-key": "order-35" };
    const waiting = call("/v1/chat/completions", { body: voted, headers: key });
    await expect.poll(async () => (await newJobs()).length).toBe(1);
    await takeJob(t, devices[0]!, async ({ complete }) => await complete("Oslo"));
    expect(await (await waiting).json()).toMatchObject({ x_gleaner: { votes: 1 } });
    await addLarge();
    await wait(...devices);
    const { id } = await ask(voted, undefined, key);
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    expect(await (await resultOf(id)).json()).toMatchObject({ x_gleaner: { votes: 1, escalated: false } });
    expect(await newStatuses()).toEqual(["succeeded"]);
  });

  it("are left to the first call by its repeat, also if they are late", async () => {
    await wait(...devices);
    const key = { "idempotency-key": "order-36" };
    const short = await call("/v1/chat/completions", { body: voted, headers: { prefer: "wait=1", ...key } });
    expect(short.status).toBeGreaterThan(499);
    const { id } = await ask(voted, undefined, key);
    const jobs = await Promise.all(devices.map(handed));
    const first = jobs.findIndex(({ payload }) => (payload as { seed: number }).seed === 7);
    await completeWith(t, devices[first]!, jobs[first]!.attemptId, answer("Oslo"));
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    expect((await callAt(id)).jobs).toHaveLength(3);
    expect(await newStatuses()).toEqual(["succeeded", "prefetched", "prefetched"]);
    const late = (first + 1) % 3;
    await completeWith(t, devices[late]!, jobs[late]!.attemptId, answer("Bergen"));
    expect(await (await resultOf(id)).json()).toMatchObject({ x_gleaner: { votes: 1 } });
    expect((await ask(voted, undefined, key)).id).toBe(id);
    expect((await newStatuses()).toSorted()).toEqual(["prefetched", "succeeded", "succeeded"]);
  });

  it("end with their key", async () => {
    await wait(...devices);
    await ask(voted);
    await Promise.all(devices.map(handed));
    const { keyId } = (await listKeys(t, session))[0]!;
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expect
      .poll(async () => await t.run(async (ctx) => (await ctx.db.query("calls").collect()).at(-1)?.end?.how))
      .toBe("failed");
  });

  it("go on if the next step was lost", async () => {
    await wait(...devices);
    const { id } = await ask(voted);
    await answerAll("Oslo", "Bergen");
    // The steps after both answers wait for the third one.
    await expect.poll(async () => (await pendingSteps()).length).toBe(2);
    const lost = await pendingSteps();
    await t.run(async (ctx) => {
      for (const { _id } of lost) await ctx.scheduler.cancel(_id);
    });
    await t.mutation(internal.calls.steps.resume, {});
    expect(await pendingSteps()).toEqual([]);
    vi.useFakeTimers({ now: Date.now() + 6 * 60_000, toFake: ["Date"] });
    await t.mutation(internal.calls.steps.resume, {});
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    expect(await (await resultOf(id)).json()).toMatchObject({ x_gleaner: { votes: 2, agreed: 1 } });
    expect(await pendingSteps()).toEqual([]);
  });

  it.each([
    [
      "/v1/messages",
      { max_tokens: 8, messages: chat.messages },
      { type: "message", content: [{ text: "Oslo" }] },
    ],
    ["/api/chat", { messages: chat.messages, stream: false }, { done: true, message: { content: "Oslo" } }],
    ["/api/generate", { prompt: "Which city?", stream: false }, { done: true, response: "Oslo" }],
    ["/v1/completions", { prompt: "Which city?" }, { choices: [{ text: "Oslo" }] }],
  ] as const)("are answered later in the form of %s", async (path, body, expected) => {
    const request = { model: modelId, ...body };
    // Devices wait in the lane of such jobs once there was one.
    await ask(request, path);
    await takeJob(t, device, async ({ complete }) => await complete("Bergen"));
    await wait(...devices);
    const { id, endpoint } = await ask({ ...request, x_gleaner: { votes: 3 } }, path);
    expect(endpoint).toBe(path);
    const jobs = await Promise.all(devices.map(handed));
    for (const [at, { attemptId }] of jobs.entries())
      await completeWith(t, devices[at]!, attemptId, answer("Oslo"));
    await expect.poll(async () => await statusOf(id)).toBe("succeeded");
    const opinion = { votes: 3, agreed: 3, escalated: false };
    expect(await (await resultOf(id)).json()).toMatchObject({ ...expected, x_gleaner: opinion });
  });

  it("are a response in the background", async () => {
    await t.run(async (ctx) => {
      const { organizationId } = acme;
      const row = { url: "http://127.0.0.1:9/hook", secret: "plain.x", createdAt: 0 };
      await ctx.db.insert("webhooks", { organizationId, ...row, events: [...webhookEvents] });
    });
    await wait(...devices);
    const body = { model: modelId, input: "Which city?", metadata: { a: "b" }, x_gleaner: { votes: 3 } };
    const response = await call("/v1/responses", { body: { ...body, background: true } });
    expect(response.status).toBe(200);
    const asked = (await response.json()) as { readonly id: string };
    expect(asked).toMatchObject({ object: "response", metadata: { a: "b" }, background: true });
    expect(asked.id).toMatch(/^resp_jobs_/);
    const path = `/v1/responses/${asked.id}`;
    expect(await (await call(path)).json()).toMatchObject({
      id: asked.id,
      status: expect.stringMatching("queued|in_progress") as string,
    });
    const jobs = await Promise.all(devices.map(handed));
    for (const [at, { attemptId }] of jobs.entries())
      await completeWith(t, devices[at]!, attemptId, answer("Oslo"));
    await expect
      .poll(async () => (await (await call(path)).json()) as object)
      .toMatchObject({
        id: asked.id,
        status: "completed",
        metadata: { a: "b" },
        output: [{ content: [{ text: "Oslo" }] }],
        usage: { input_tokens: 30 },
        x_gleaner: { votes: 3, agreed: 3 },
      });
    await expectError(await call(`${path}/cancel`, { method: "POST" }), 409, { code: "job_ended" });
    const told = await t.run(async (ctx) => await ctx.db.query("webhookDeliveries").collect());
    expect(told.map(({ type }) => type).toSorted()).toEqual([
      "job.completed",
      "job.completed",
      "job.completed",
      "job.completed",
      "response.completed",
    ]);
    const callId = asked.id.slice("resp_".length);
    const ids = told.map(({ data }) => JSON.parse(data) as { readonly id: string; readonly call?: string });
    expect(ids.filter((each) => each.call === callId)).toHaveLength(3);
    expect(ids.flatMap((each) => (each.call === undefined ? [each.id] : [])).toSorted()).toEqual([
      callId,
      asked.id,
    ]);
    const preferred = await call("/v1/responses", { body, headers: later });
    expect(preferred.status).toBe(202);
    const { id } = (await preferred.json()) as { readonly id: string };
    expect(preferred.headers.get("location")).toBe(`/v1/responses/${id}`);
    expect(await (await call(`/v1/responses/${id}/cancel`, { method: "POST" })).json()).toMatchObject({
      id,
      status: "cancelled",
    });
    const third = (await (await call("/v1/responses", { body, headers: later })).json()) as { id: string };
    const cancel = async () => await call(`/v1/responses/${third.id}/cancel`, { method: "POST" });
    // Of two at the same time, too, neither is refused.
    const both = await Promise.all([cancel(), cancel()]);
    expect(both.map((each) => each.status)).toEqual([200, 200]);
    const choices = await ask({ ...chat, n: 2 });
    await expectError(await call(`/v1/responses/resp_${choices.id}`), 404, { code: "not_found" });
  });
});

/** The steps of calls that are scheduled. */
async function scheduledSteps() {
  const all = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
  return all.filter(({ name }) => name.includes("calls/steps"));
}

const pendingSteps = async () => (await scheduledSteps()).filter(({ state }) => state.kind === "pending");

/** An administrator retries the failed jobs of a call, which changes nothing. */
async function expectNoRetry(id: string): Promise<void> {
  const { jobs, status } = await callAt(id);
  const before = await statuses();
  const failed = (await allJobs(t, acme)).filter(
    (job) => job.status === "failed" && jobs.includes(job.jobId),
  );
  expect(failed).not.toEqual([]);
  for (const { jobId } of failed)
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({
      kind: "call-ended",
    });
  expect([await statusOf(id), await statuses()]).toEqual([status, before]);
}

describe("a call of many jobs that has ended", () => {
  const many = { ...completion, prompt: Array.from({ length: 30 }, (_, at) => `Number ${String(at)}`) };

  it("stays failed: its jobs are not retried", async () => {
    const { id } = await ask({ ...chat, n: 3 });
    await answerWithSeeds(1);
    await failNext();
    await expect.poll(statuses).toEqual(["canceled", "failed", "succeeded"]);
    await expectNoRetry(id);
  });

  it("cancels its other jobs in few steps after the end of one", async () => {
    const { id, jobs } = await ask(many, "/v1/completions");
    await call(`/v1/jobs/${jobs[3]!}/cancel`, { method: "POST" });
    expect(await statusOf(id)).toBe("canceled");
    await expect.poll(async () => new Set(await statuses())).toEqual(new Set(["canceled"]));
    expect((await callAt(id)).jobs).toEqual(jobs);
    await expect.poll(pendingSteps).toEqual([]);
    expect(await scheduledSteps()).toHaveLength(2);
    await expectBooksInOrder(t);
  });

  it("cancels all of them when its requester does, and records each", async () => {
    const { id } = await ask(many, "/v1/completions");
    const canceled = await call(`/v1/jobs/${id}/cancel`, { method: "POST" });
    expect(await canceled.json()).toMatchObject({ id, status: "canceled" });
    await expect.poll(async () => new Set(await statuses())).toEqual(new Set(["canceled"]));
    const acts = await t.run(async (ctx) => await ctx.db.query("audit").collect());
    expect(acts.filter(({ action }) => action === "job.canceled")).toHaveLength(30);
    await expectBooksInOrder(t);
  });
});
