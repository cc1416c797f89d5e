import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isVisible } from "../../app/format/visible.ts";
import { limits } from "../../app/jobs/limits.ts";
import { api } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  completeWith,
  countQueue,
  type Device,
  expectBooksInOrder,
  fail,
  listKeys,
  modelId,
  type Organization,
  purgeQueue,
  release,
  secret,
  signIn,
  startBackend,
  statusOf,
  submit,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

const minimal = { model: modelId, messages: [{ role: "user", content: "Hi" }] };

async function post(
  body: string | object,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${acme.apiKey}` },
): Promise<Response> {
  return await t.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The data of each server-sent event, without comments. */
async function events(response: Response): Promise<string[]> {
  const lines = (await response.text()).split("\n\n");
  return lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice("data: ".length));
}

type Chunk = {
  readonly id: string;
  readonly object: string;
  readonly choices: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: object | null;
  readonly service_tier?: string;
  readonly error?: { readonly code: string };
};

const parseChunks = (lines: readonly string[]): Chunk[] =>
  lines.filter((line) => line !== "[DONE]").map((line) => JSON.parse(line) as Chunk);

const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");

describe("a chat completion", () => {
  it("answers a chat with a device's text and its token counts", async () => {
    const asked = post({ ...minimal, messages: [{ role: "user", content: "Name a color." }] });
    let prompt = "";
    await takeJob(t, device, async (job) => {
      prompt = job.prompt;
      expect(job.watched).toBe(false);
      await job.complete("Blue.");
    });
    const response = await asked;
    expect(prompt).toBe("Name a color.");
    expect(response.status).toBe(200);
    const jobId = response.headers.get("x-gleaner-job");
    expect(await response.json()).toMatchObject({
      id: `chatcmpl-${String(jobId)}`,
      object: "chat.completion",
      model: modelId,
      system_fingerprint: "fp_abababababab",
      choices: [{ index: 0, message: { role: "assistant", content: "Blue." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    });
    await expectBooksInOrder(t);
  });

  it("gives every answer an id of its own and the time that it took, also a refusal", async () => {
    const asked = post(minimal);
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    const responses = [await asked, await post({ ...minimal, model: "no such" })];
    expect(responses.map(({ status }) => status)).toEqual([200, 404]);
    const ids = responses.map(({ headers }) => headers.get("x-request-id"));
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(new Set(ids).size).toBe(2);
    for (const { headers } of responses) expect(headers.get("openai-processing-ms")).toMatch(/^\d+$/);
  });

  it("passes on a chat's tool calls and log probabilities", async () => {
    const body = {
      ...minimal,
      logprobs: true,
      top_logprobs: 1,
      top_k: 5,
      presence_penalty: 1,
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }],
    };
    for (const stream of [false, true]) {
      const asked = post({ ...body, stream });
      await takeJob(t, device, async (job) => {
        const likely = { token: "é", logprob: -0.5 };
        await completeWith(t, device, job.attemptId, {
          result: {
            text: "é",
            finishReason: "tool_calls",
            toolCalls: [{ id: "call_1", name: "f", arguments: "{}" }],
            logprobs: [{ ...likely, top: [likely] }],
          },
          report: {
            usage: { promptTokens: 10, completionTokens: 3, cachedPromptTokens: 7 },
            timing: { prefillMs: 1, generateMs: 1 },
          },
        });
      });
      const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
      const token = { token: "é", logprob: -0.5, bytes: [0xc3, 0xa9] };
      const logprobs = { content: [{ ...token, top_logprobs: [token] }] };
      if (stream) {
        const chunks = parseChunks(await events(await asked));
        const choices = chunks.map((chunk) => chunk.choices[0]);
        expect(choices).toContainEqual(
          expect.objectContaining({ delta: { tool_calls: [{ index: 0, ...call }] } }),
        );
        expect(choices).toContainEqual(
          expect.objectContaining({
            delta: { content: "é" },
            logprobs: expect.objectContaining(logprobs) as object,
          }),
        );
        expect(choices.at(-1)?.finish_reason).toBe("tool_calls");
      } else {
        expect(await (await asked).json()).toMatchObject({
          choices: [{ message: { content: "é", tool_calls: [call] }, logprobs, finish_reason: "tool_calls" }],
          usage: { prompt_tokens_details: { cached_tokens: 7 } },
        });
      }
    }
  });

  it("streams a chat's text as it comes, with usage if requested", async () => {
    const asked = post({ ...minimal, stream: true, stream_options: { include_usage: true } });
    await takeJob(t, device, async (job) => {
      expect(job.watched).toBe(true);
      await job.append(0, "Blue ");
      const response = await asked;
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      await job.append(1, "is ");
      await job.complete("Blue is one.");
    });
    const response = await asked;
    const lines = await events(response);
    expect(lines.at(-1)).toBe("[DONE]");
    const chunks = parseChunks(lines);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(textOf(chunks)).toBe("Blue is one.");
    expect(chunks.filter((chunk) => (chunk.choices[0]?.delta.content ?? "") !== "").length).toBeGreaterThan(
      1,
    );
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual(chunks.slice(1).map(() => null));
    expect(chunks.at(-1)).toMatchObject({
      object: "chat.completion.chunk",
      id: `chatcmpl-${String(response.headers.get("x-gleaner-job"))}`,
      choices: [],
      usage: { total_tokens: 13 },
    });
  });

  it("continues a stream when another device takes over with the same text", async () => {
    const other = await addDevice(t, acme, "other");
    const asked = post({ ...minimal, stream: true });
    await takeJob(t, device, async (job) => {
      await job.append(0, "Blue is ");
      await asked;
      await release(t, device, job.attemptId);
    });
    await takeJob(t, other, async (job) => {
      await job.append(0, "Blue");
      await job.append(1, " is one");
      await job.complete("Blue is one.");
    });
    const lines = await events(await asked);
    expect(textOf(parseChunks(lines))).toBe("Blue is one.");
    expect(lines.at(-1)).toBe("[DONE]");
  });

  it("ends a stream with an error when another device's text differs", async () => {
    const other = await addDevice(t, acme, "other");
    const asked = post({ ...minimal, stream: true });
    const reading: Promise<string[]>[] = [];
    await takeJob(t, device, async (job) => {
      await job.append(0, "Blue is ");
      reading.push(events(await asked));
      await new Promise((resolve) => setTimeout(resolve, 600));
      await release(t, device, job.attemptId);
    });
    await takeJob(t, other, async (job) => {
      await job.append(0, "Red is ");
      await job.complete("Red is one.");
    });
    const lines = (await reading[0]) ?? [];
    const last = lines.at(-1) ?? "";
    expect(textOf(parseChunks(lines.slice(0, -1)))).toBe("Blue is ");
    expect((JSON.parse(last) as Chunk).error).toMatchObject({ code: "attempt_diverged" });
  });

  it("cancels the job when its streaming client disconnects", async () => {
    const asked = post({ ...minimal, stream: true });
    const jobs: string[] = [];
    await takeJob(t, device, async (job) => {
      jobs.push(job.jobId);
      await job.append(0, "Blue");
      const response = await asked;
      await response.body?.cancel();
    });
    const [canceled] = jobs;
    if (canceled === undefined) throw new Error("no job");
    await expect.poll(async () => await statusOf(t, acme, canceled)).toBe("canceled");
    await expectBooksInOrder(t);
  });

  it.each([false, true])("authenticates a call once, however long it waits (stream: %s)", async (stream) => {
    const hash = vi.spyOn(crypto.subtle, "digest");
    onTestFinished(() => hash.mockRestore());
    const asked = post({ ...minimal, stream });
    await takeJob(t, device, async (job) => {
      await job.append(0, "Blue");
      await new Promise((resolve) => setTimeout(resolve, 200));
      await job.complete("Blue.");
    });
    expect(await (await asked).text()).toContain("Blue");
    const hashed = hash.mock.calls.map(([, data]) => new TextDecoder().decode(data));
    expect(hashed.filter((text) => text === acme.apiKey)).toHaveLength(1);
  });

  it("submits one job per Idempotency-Key, even for two calls at once", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}`, "idempotency-key": "order-17" };
    const both = Promise.all([post(minimal, headers), post(minimal, headers)]);
    await takeJob(t, device, async (job) => {
      await job.complete("Blue.");
    });
    const [first, second] = await both;
    expect(await first.json()).toMatchObject({ choices: [{ message: { content: "Blue." } }] });
    expect(second.headers.get("x-gleaner-job")).toBe(first.headers.get("x-gleaner-job"));
    const other = await post({ ...minimal, temperature: 0 }, headers);
    await expectError(other, 409, { code: "idempotency_conflict" });
    expect(other.headers.get("x-should-retry")).toBe("false");
  });

  it("deletes an answer after a day, and then answers its Idempotency-Key with 410", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}`, "idempotency-key": "order-18" };
    const first = post(minimal, headers);
    const jobs: string[] = [];
    await takeJob(t, device, async (job) => {
      jobs.push(job.jobId);
      await job.complete("Blue.");
    });
    await first;
    const [jobId = ""] = jobs;
    const kept = async () => await t.run(async (ctx) => await queue.payload(ctx, acme.organizationId, jobId));
    expect(await kept()).not.toBeNull();
    vi.useFakeTimers({ now: Date.now() + 25 * 3_600_000, toFake: ["Date"] });
    await purgeQueue(t);
    expect(await kept()).toBeNull();
    await expectError(await post(minimal, headers), 410, { code: "result_expired" });
    await expectError(await post({ ...minimal, temperature: 0 }, headers), 410, { code: "result_expired" });
  });

  it.each([true, false])(
    "answers with status 400 when the prompt does not fit (stream: %s)",
    async (stream) => {
      const asked = post({ ...minimal, stream });
      await takeJob(t, device, async ({ attemptId }) => {
        const message = "The prompt has 2000 tokens; the context has 1024.";
        await fail(t, device, attemptId, { code: "context_length_exceeded", message, retryable: false });
      });
      await expectError(await asked, 400, { code: "context_length_exceeded", param: "messages" });
    },
  );

  it("tells the client not to retry a failed job", async () => {
    const asked = post(minimal);
    for (let tries = 0; tries < 2; tries += 1) {
      await takeJob(t, device, async ({ attemptId }) => {
        await fail(t, device, attemptId, { code: "request_crashed", byJob: true });
      });
    }
    const response = await asked;
    await expectError(response, 500, { code: "request_crashed", type: "server_error" });
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  it("refuses a service tier that the key may not ask for, and tells the price of one that it may", async () => {
    const session = await signIn(t, acme);
    await t.mutation(api.console.models.setPriorityPrices, { session, low: 50, normal: 100, high: 200 });
    const asked = post({ ...minimal, service_tier: "flex" });
    await takeJob(t, device, async (job) => await job.complete("Done."));
    const response = await asked;
    expect(response.status).toBe(200);
    expect(response.headers.get("x-gleaner-price-percent")).toBe("50");
    const { page } = await t.query(api.console.jobs.list, {
      session,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(response.headers.get("x-gleaner-price")).toBe(String(page[0]?.priceMicro));
    const [key] = await listKeys(t, session);
    if (key === undefined) throw new Error("no key");
    await t.mutation(api.console.keys.setRights, { session, keyId: key.keyId, highestPriority: "normal" });
    await expectError(await post({ ...minimal, service_tier: "priority" }), 403, {
      code: "priority_not_allowed",
      param: "service_tier",
      message: expect.stringContaining("normal priority at most") as string,
    });
  });

  it("runs jobs in the order of their service tiers", async () => {
    const asked = [];
    for (const [content, service_tier] of [
      ["last", "flex"],
      ["second", "auto"],
      ["first", "priority"],
    ]) {
      const messages = [{ role: "user", content }];
      asked.push(post({ ...minimal, messages, service_tier }));
      await expect.poll(async () => (await allJobs(t, acme)).length).toBe(asked.length);
    }
    const order: string[] = [];
    for (let i = 0; i < asked.length; i += 1) {
      await takeJob(t, device, async (job) => {
        order.push(job.prompt);
        await job.complete("Done.");
      });
    }
    expect(order).toEqual(["first", "second", "last"]);
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200);
  });

  it.each([
    [undefined, "default"],
    ["auto", "default"],
    ["flex", "flex"],
    ["priority", "priority"],
  ])("tells the service tier of a job that asked for %s", async (asked, service_tier) => {
    for (const stream of [false, true]) {
      const answered = post({ ...minimal, service_tier: asked, stream });
      await takeJob(t, device, async ({ complete }) => await complete("Blue."));
      const response = await answered;
      if (stream) {
        const chunks = parseChunks(await events(response));
        expect(chunks.length).toBeGreaterThan(1);
        for (const chunk of chunks) expect(chunk).toMatchObject({ service_tier });
      } else {
        expect(await response.json()).toMatchObject({ service_tier });
        const jobId = String(response.headers.get("x-gleaner-job"));
        const headers = { authorization: `Bearer ${acme.apiKey}` };
        const later = await t.fetch(`/v1/jobs/${jobId}/result`, { headers });
        expect(await later.json()).toMatchObject({ service_tier });
      }
    }
  });

  it("answers with an error when an admin cancels the job", async () => {
    const session = await signIn(t, acme);
    const asked = post(minimal);
    await takeJob(t, device, async ({ jobId }) => {
      await t.mutation(api.console.jobs.cancel, { session, jobId });
    });
    await expectError(await asked, 409, { code: "job_canceled" });
  });
});

describe("a job that no device takes", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });

  /** Lets time pass until the promise settles. Hashing needs real turns of the event loop in between. */
  async function passUntil<T>(awaited: Promise<T>): Promise<T> {
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    awaited.then(settle, settle);
    while (!settled) {
      await vi.advanceTimersByTimeAsync(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return await awaited;
  }

  const onlyJob = async () => {
    const [job] = await allJobs(t, acme);
    if (job === undefined) throw new Error("no job");
    return job;
  };

  it("keeps the stream of a waiting job alive", async () => {
    const response = await passUntil(post({ ...minimal, stream: true }));
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("no body");
    const decoder = new TextDecoder();
    const next = async () => decoder.decode((await passUntil(reader.read())).value);
    expect(await next()).toContain('"role":"assistant"');
    const since = Date.now();
    expect(await next()).toBe(": queued, 0 jobs before it, 0 devices\n\n");
    expect(await next()).toMatch(/^: queued/);
    expect(Date.now() - since).toBeGreaterThan(15_000);
    await reader.cancel();
    await passUntil(expect.poll(async () => (await onlyJob()).status).toBe("canceled"));
  });

  it("keeps a stream of Ollama's API alive by lines without text", async () => {
    const { model, messages } = minimal;
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const body = JSON.stringify({ model, messages });
    const response = await passUntil(t.fetch("/api/chat", { method: "POST", headers, body }));
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("no body");
    const line = new TextDecoder().decode((await passUntil(reader.read())).value);
    expect(line.endsWith("}\n")).toBe(true);
    expect(JSON.parse(line)).toMatchObject({ message: { role: "assistant", content: "" }, done: false });
    await reader.cancel();
    await passUntil(expect.poll(async () => (await onlyJob()).status).toBe("canceled"));
  });

  it("cancels a job soon after the wait is over, unless its requester asks again", async () => {
    const since = Date.now();
    const response = await passUntil(post(minimal));
    expect(Date.now() - since).toBeGreaterThanOrEqual(9 * 60_000);
    const { jobId, status } = await onlyJob();
    expect(status).toBe("ready");
    expect(response.headers.get("retry-after")).toBe("1");
    expect(response.headers.get("x-gleaner-job")).toBe(jobId);
    const text = await response.clone().text();
    expect(text).toContain(jobId);
    expect(text).toContain("No device of your organization donates at the moment.");
    await expectError(response, 503, { code: "no_capacity" });
    await vi.advanceTimersByTimeAsync(20_000);
    await passUntil(expect.poll(async () => (await onlyJob()).status).toBe("canceled"));
    await expectBooksInOrder(t);
  });

  it("keeps a job after the wait if an idempotency key can find it again", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}`, "idempotency-key": "order-18" };
    expect((await passUntil(post(minimal, headers))).status).toBe(503);
    expect((await onlyJob()).status).toBe("ready");
    // Time passes by itself again, but must not go back: the rate limiter would wait until it has caught up.
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"], shouldAdvanceTime: true });
    const again = post(minimal, headers);
    await takeJob(t, device, async (job) => {
      await job.complete("At last.");
    });
    expect(await (await again).json()).toMatchObject({ choices: [{ message: { content: "At last." } }] });
  });
});

async function sendBody(
  body: Uint8Array<ArrayBuffer>,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${acme.apiKey}`, ...more };
  return await t.fetch("/v1/chat/completions", { method: "POST", headers, body });
}

it.each(["gzip", "GZIP", "x-gzip", "identity"])(
  "takes a body with the Content-Encoding %s",
  async (encoding) => {
    const content = "Grüße! ".repeat(20_000);
    const json = new TextEncoder().encode(
      JSON.stringify({ ...minimal, messages: [{ role: "user", content }] }),
    );
    const body = new Uint8Array(encoding === "identity" ? json : gzipSync(json));
    const asked = sendBody(body, { "content-encoding": encoding });
    await takeJob(t, device, async ({ prompt, complete }) => {
      expect(prompt).toBe(content);
      await complete("Hello.");
    });
    expect((await asked).status).toBe(200);
  },
);

describe("bad input", () => {
  it("refuses a missing key", async () => {
    const error = { code: "invalid_api_key", type: "invalid_request_error" };
    await expectError(await post(minimal, {}), 401, error);
    await expectError(await post(minimal, { authorization: "Basic abc" }), 401, error);
    await expectError(await t.fetch("/v1/models"), 401, error);
  });

  it("refuses a wrong key", async () => {
    const response = await post(minimal, { authorization: `Bearer ${secret("sk-gleaner-")}` });
    await expectError(response, 401, {
      code: "invalid_api_key",
      message: "This API key is not known here.",
    });
  });

  it("refuses a revoked key", async () => {
    const session = await signIn(t, acme);
    const [apiKey] = await listKeys(t, session);
    if (apiKey === undefined) throw new Error("no key");
    await t.mutation(api.console.keys.revoke, { session, keyId: apiKey.keyId });
    await expectError(await post(minimal), 401, {
      code: "invalid_api_key",
      message: "This API key was revoked.",
    });
  });

  it("refuses an unknown model", async () => {
    await expectError(await post({ ...minimal, model: "gpt-9" }), 404, {
      code: "model_not_found",
      param: "model",
      message: expect.stringContaining(`It offers ${modelId}.`) as string,
    });
  });

  it("shows hidden characters in what an error quotes", async () => {
    const hidden = "\u202egpt\u001b[2J\u009b\u200b";
    const refusals = [
      await post({ ...minimal, model: hidden }),
      await post({ ...minimal, logit_bias: { [hidden]: 1 } }),
      await post({ ...minimal, grammar: `root ::= ${hidden}` }),
      await post({
        ...minimal,
        tools: [{ type: "function", function: { name: "f", strict: true, parameters: { [hidden]: 1 } } }],
      }),
      await post({
        ...minimal,
        response_format: {
          type: "json_schema",
          json_schema: { schema: { type: "object", properties: {}, required: [hidden] }, strict: true },
        },
      }),
      await t.fetch(`/v1/models/${hidden}`, { headers: { authorization: `Bearer ${acme.apiKey}` } }),
      await t.fetch(`/v1/${hidden}`),
    ];
    for (const refusal of refusals) {
      expect(refusal.status).toBeGreaterThanOrEqual(400);
      const { error } = (await refusal.json()) as { error: { message: string; param: string | null } };
      expect(isVisible(error.message + String(error.param))).toBe(true);
    }
  });

  it("refuses a wrongly compressed body, and one that is not UTF-8", async () => {
    const json = new TextEncoder().encode(JSON.stringify({ ...minimal, user: "é" }));
    const unknown = await sendBody(json, { "content-encoding": "br" });
    expect(unknown.headers.get("accept-encoding")).toBe("gzip, identity");
    await expectError(unknown, 415, { code: "unsupported_content_encoding" });
    const zipped = new Uint8Array(gzipSync(json));
    for (const wrong of [
      json,
      zipped.slice(0, 20),
      zipped.slice(0, -12),
      zipped.map((byte, at) => (at > 12 ? byte ^ 85 : byte)),
    ]) {
      await expectError(await sendBody(wrong, { "content-encoding": "gzip" }), 400, {
        code: "invalid_request_body",
        message: expect.stringContaining("gzip") as string,
      });
    }
    const bomb = new Uint8Array(gzipSync(new Uint8Array(64 * 1024 * 1024)));
    expect(bomb.byteLength).toBeLessThan(limits.bodyBytes);
    await expectError(await sendBody(bomb, { "content-encoding": "gzip" }), 413, {
      code: "request_too_large",
    });
    const invalid = { code: "invalid_json", message: "The body is not valid UTF-8." };
    await expectError(await sendBody(json.map((byte) => (byte === 0xc3 ? 0xff : byte))), 400, invalid);
    await expectError(await sendBody(new Uint8Array([0x7b, 0xc3])), 400, invalid);
  });

  it("refuses malformed JSON", async () => {
    await expectError(await post('{"model": "demo'), 400, { code: "invalid_json", param: null });
    await expectError(await post(""), 400, { code: "invalid_json" });
  });

  it("refuses a 5 MB prompt", async () => {
    const messages = [{ role: "user", content: "x".repeat(5 * 1024 * 1024) }];
    await expectError(await post({ ...minimal, messages }), 413, { code: "request_too_large" });
  });

  it("refuses a 5 MB prompt without a content length", async () => {
    const part = new Uint8Array(64 * 1024).fill(120);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += part.byteLength;
        if (sent > 5 * 1024 * 1024) controller.close();
        else controller.enqueue(part);
      },
    });
    const response = await t.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}` },
      body,
      duplex: "half",
    } as RequestInit);
    await expectError(response, 413, { code: "request_too_large" });
    expect(sent).toBeLessThan(2 * limits.bodyBytes);
  });

  it("refuses a prompt over its limit in a body under its limit", async () => {
    const messages = [{ role: "user", content: "x".repeat(limits.promptBytes + 1) }];
    await expectError(await post({ ...minimal, messages }), 413, { param: "messages" });
  });

  it("takes a bound of more tokens than the context has for the context", async () => {
    const asked = post({ ...minimal, max_tokens: 5_000 });
    await takeJob(t, device, async ({ maxTokens, complete }) => {
      expect(maxTokens).toBe(1_024);
      await complete("Blue.");
    });
    expect((await asked).status).toBe(200);
  });

  it("refuses functions, too many answers and other unsupported fields", async () => {
    const functions = [{ name: "f" }];
    await expectError(await post({ ...minimal, functions }), 400, {
      code: "unsupported_parameter",
      param: "functions",
    });
    const tools = [{ type: "function", function: { name: "no name" } }];
    await expectError(await post({ ...minimal, tools }), 400, { param: "tools[0].function.name" });
    await expectError(await post({ ...minimal, n: 9 }), 400, { param: "n" });
  });

  it("refuses a key without credits", async () => {
    const poor = await addOrganization(t, { name: "Poor", creditsMicro: 1n });
    const response = await post(minimal, { authorization: `Bearer ${poor.apiKey}` });
    await expectError(response, 429, { code: "insufficient_quota", type: "insufficient_quota" });
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  it("refuses more jobs than the queue accepts", async () => {
    const { organizationId } = acme;
    await t.run(async (ctx) => {
      await queue.configure(ctx, organizationId, { maxQueuedPerRequester: 1 });
    });
    await submit(t, acme);
    await submit(t, acme);
    await countQueue(t);
    const response = await post(minimal);
    await expectError(response, 429, {
      code: "queue_full",
      type: "requests",
      message: expect.stringMatching(
        /^Too many requests wait already\. Try again in \d+ seconds?\.$/,
      ) as string,
    });
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  it("refuses a model that is being drained", async () => {
    await submit(t, acme);
    await t.run(async (ctx) => {
      const [lane] = await queue.lanes.list(ctx, acme.organizationId);
      const laneId = lane?.laneId ?? "";
      await queue.lanes.setState(ctx, acme.organizationId, { laneId, state: "draining" });
    });
    const response = await post(minimal);
    await expectError(response, 503, { code: "model_draining", type: "server_error" });
    expect(response.headers.get("retry-after")).toBe("60");
  });

  it("refuses an unknown URL", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    await expectError(await t.fetch("/v1/images/generations", { method: "POST", headers }), 404, {
      code: "unknown_url",
    });
    await expectError(await t.fetch("/v1", { headers }), 404, { code: "unknown_url" });
    expect((await t.fetch("/api", { headers })).status).toBe(404);
    const wrong = await t.fetch("/v1/chat/completions", { headers });
    expect(wrong.headers.get("allow")).toBe("POST");
    await expectError(wrong, 405, { code: "method_not_allowed" });
  });

  it("submits no job for a refused call", async () => {
    await post({ ...minimal, model: "gpt-9" });
    await post({ ...minimal, n: 9 });
    expect(await allJobs(t, acme)).toEqual([]);
  });
});

describe("other endpoints", () => {
  it("lists the models, and shows one", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const list = await t.fetch("/v1/models", { headers });
    const openai = {
      object: "model",
      created: expect.any(Number) as number,
      owned_by: "organization",
      context_length: 1_024,
    };
    const anthropic = { type: "model", display_name: modelId, created_at: expect.any(String) as string };
    const body = { id: modelId, ...openai, ...anthropic };
    const page = { first_id: modelId, last_id: modelId, has_more: false };
    expect(await list.json()).toMatchObject({ object: "list", data: [body], ...page });
    const one = await t.fetch(`/v1/models/${modelId}`, { headers });
    expect(await one.json()).toMatchObject(body);
    await expectError(await t.fetch("/v1/models/gpt-9", { headers }), 404, { code: "model_not_found" });
  });

  it("tells the deployment's URL", async () => {
    const response = await t.fetch("/config");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toHaveProperty("deploymentUrl");
  });

  it("answers the preflight requests of browsers", async () => {
    for (const path of ["/v1/chat/completions", "/v1/models", "/config"]) {
      const response = await t.fetch(path, { method: "OPTIONS" });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-headers")).toContain("authorization");
    }
  });
});
