import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queue } from "../model/queue.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  completeWith,
  type Device,
  fail,
  modelId,
  type Organization,
  purgeQueue,
  startBackend,
} from "./backend.fixture.ts";
import { eventsOf } from "./events.fixture.ts";
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

const minimal = { model: modelId, input: "Hi" };

async function call(path: string, method: "GET" | "POST", body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${acme.apiKey}`, "content-type": "application/json" };
  return await t.fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const post = async (body: object): Promise<Response> => await call("/v1/responses", "POST", body);

type Body = {
  readonly id: string;
  readonly status: string;
  readonly output: readonly {
    readonly type: string;
    readonly content?: readonly { readonly text: string }[];
  }[];
};
type Event = {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly response?: Body;
};

const usage = { promptTokens: 10, completionTokens: 3, cachedPromptTokens: 7 };
const report = { usage, timing: { prefillMs: 1, generateMs: 1 } };
const weather = { type: "function", name: "weather", parameters: { type: "object" }, strict: false };
const toolCalls = [{ id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }];

describe("POST /v1/responses", () => {
  it("answers with a response object that repeats the request", async () => {
    const asked = post({ ...minimal, instructions: "Be brief.", metadata: { a: "b" }, temperature: 0.5 });
    await takeJob(t, device, async ({ prompt, complete }) => await complete(`To: ${prompt}`));
    const response = await asked;
    expect(response.status).toBe(200);
    const jobId = response.headers.get("x-gleaner-job");
    expect(await response.json()).toMatchObject({
      id: `resp_${String(jobId)}`,
      object: "response",
      status: "completed",
      model: modelId,
      error: null,
      incomplete_details: null,
      instructions: "Be brief.",
      metadata: { a: "b" },
      temperature: 0.5,
      output: [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "To: Be brief.\nHi", annotations: [] }],
        },
      ],
      usage: { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    });
  });

  it("repeats its request when it is fetched, which no device gets", async () => {
    const body = {
      ...minimal,
      instructions: "Be brief.",
      metadata: { task: "secret-7" },
      temperature: 0.5,
      tools: [weather],
      tool_choice: "none",
      store: false,
    };
    const asked = post(body);
    let given = "";
    await takeJob(t, device, async ({ request, complete }) => {
      given = JSON.stringify(request);
      await complete("Blue.");
    });
    const { x_gleaner: _, ...whole } = (await (await asked).json()) as Body & {
      readonly x_gleaner?: unknown;
    };
    expect(whole).toMatchObject({ background: false, metadata: body.metadata, tools: [weather] });
    const times = expect.any(Number) as number;
    const expected = { ...whole, created_at: times };
    expect(await (await call(`/v1/responses/${whole.id}`, "GET")).json()).toMatchObject(expected);
    const result = await call(`/v1/jobs/${whole.id.replace("resp_", "")}/result`, "GET");
    expect(await result.json()).toMatchObject(expected);
    expect(given).toContain("Be brief.");
    expect(given).not.toMatch(/echo|secret-7|store/);
  });

  it("translates replayed items, and calls of tools that belong together, into one chat", async () => {
    const asked = post({
      ...minimal,
      tools: [weather],
      input: [
        { role: "developer", content: "Rules." },
        { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
        { type: "reasoning", id: "rs_1", summary: [] },
        {
          type: "function_call",
          call_id: "a",
          name: "weather",
          arguments: "{}",
          id: "fc_1",
          status: "completed",
        },
        { type: "function_call", call_id: "b", name: "weather", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "sun" },
        { type: "function_call_output", call_id: "b", output: [{ type: "input_text", text: "rain" }] },
        { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      ],
    });
    let chat: unknown = null;
    await takeJob(t, device, async ({ request, complete }) => {
      chat = request;
      await complete("Done.");
    });
    expect((await asked).status).toBe(200);
    const call = (id: string) => ({ id, name: "weather", arguments: "{}" });
    const messages = [
      { role: "system", content: "Rules." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", toolCalls: [call("a"), call("b")] },
      { role: "tool", toolCallId: "a", content: "sun" },
      { role: "tool", toolCallId: "b", content: "rain" },
      { role: "assistant", content: "No." },
    ];
    expect(chat).toMatchObject({ messages });
  });

  it("says that an answer was cut", async () => {
    const asked = post({ ...minimal, max_output_tokens: 3 });
    await takeJob(t, device, async ({ attemptId, maxTokens }) => {
      expect(maxTokens).toBe(3);
      await completeWith(t, device, attemptId, {
        result: { text: "One two", finishReason: "length" },
        report,
      });
    });
    expect(await (await asked).json()).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
  });

  it("gives calls of tools as items", async () => {
    const asked = post({ ...minimal, tools: [weather] });
    await takeJob(t, device, async ({ attemptId }) => {
      await completeWith(t, device, attemptId, {
        result: { text: "", finishReason: "tool_calls", toolCalls },
        report,
      });
    });
    const { output } = (await (await asked).json()) as Body;
    expect(output).toEqual([
      expect.objectContaining({ type: "function_call", call_id: "call_1", arguments: '{"city":"Oslo"}' }),
    ]);
  });

  it("streams named events with rising sequence numbers, as the text comes", async () => {
    const asked = post({ ...minimal, stream: true });
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Blue ");
      await new Promise((resolve) => setTimeout(resolve, 60));
      await append(1, "sky.");
      await complete("Blue sky.");
    });
    const events = await eventsOf<Event>(await asked);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map(({ type }) => type);
    const deltas = types.filter((type) => type === "response.output_text.delta");
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      ...deltas,
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map(({ delta }) => delta ?? "").join("")).toBe("Blue sky.");
    expect(events.at(-1)?.response?.output[0]?.content?.[0]?.text).toBe("Blue sky.");
  });

  it("streams calls of tools without an empty text", async () => {
    const asked = post({ ...minimal, stream: true, tools: [weather] });
    await takeJob(t, device, async ({ attemptId }) => {
      await completeWith(t, device, attemptId, {
        result: { text: "", finishReason: "tool_calls", toolCalls },
        report,
      });
    });
    expect((await eventsOf<Event>(await asked)).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("names its own fields in errors", async () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ input: [] }, "input"],
      [{ input: [{ role: "robot", content: "x" }] }, "input"],
      [{ input: "x", previous_response_id: "resp_1" }, "previous_response_id"],
      [{ input: "x", tools: [{ type: "web_search" }] }, "tools[0].type"],
      [{ input: "x", tools: [{ ...weather, name: "no name" }] }, "tools[0].name"],
      [{ input: "x", temperature: 3 }, "temperature"],
      [
        { input: "x", text: { format: { type: "json_schema", strict: true, schema: { type: "odd" } } } },
        "text.format",
      ],
    ];
    for (const [body, param] of wrong) {
      const response = await post({ model: modelId, ...body });
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: { param: string; message: string } };
      expect(error.param).toContain(param);
      expect(error.message).not.toMatch(/messages|response_format|max_completion_tokens/);
    }
    await expectError(await post({ ...minimal, model: "none" }), 404, { code: "model_not_found" });
  });
});

describe("a response in the background", () => {
  it("answers at once, and its answer is fetched later", async () => {
    const response = await post({ ...minimal, background: true, metadata: { a: "b" } });
    expect(response.status).toBe(200);
    const { id, ...begun } = (await response.json()) as Body;
    expect(begun).toMatchObject({ status: "queued", output: [], background: true });
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    const fetched = await call(`/v1/responses/${id}`, "GET");
    expect(await fetched.json()).toMatchObject({
      id,
      status: "completed",
      background: true,
      metadata: { a: "b" },
      output: [{ content: [{ text: "Blue." }] }],
    });
  });

  it("is waited for by a reader that asks for that", async () => {
    const { id } = (await (await post({ ...minimal, background: true })).json()) as Body;
    const get = async (wait: string): Promise<Body> => {
      const headers = { authorization: `Bearer ${acme.apiKey}`, prefer: `wait=${wait}` };
      return (await (await t.fetch(`/v1/responses/${id}`, { headers })).json()) as Body;
    };
    expect(await get("1")).toMatchObject({ id, status: "queued" });
    const waiting = get("60");
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    expect(await waiting).toMatchObject({
      id,
      status: "completed",
      output: [{ content: [{ text: "Blue." }] }],
    });
  });

  it("is not waited for if the id is of another job", async () => {
    const asked = await t.fetch("/v1/embeddings", {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}`, prefer: "respond-async" },
      body: JSON.stringify({ model: modelId, input: "Hi" }),
    });
    const { id } = (await asked.json()) as Body;
    const headers = { authorization: `Bearer ${acme.apiKey}`, prefer: "wait=540" };
    const wrong = await t.fetch(`/v1/responses/resp_${id}`, { headers });
    await expectError(wrong, 404, { code: "not_found" });
  });

  it("fails with one of the codes that OpenAI's clients know, and ours in words", async () => {
    const { id } = (await (await post({ ...minimal, background: true })).json()) as Body;
    await takeJob(t, device, async ({ attemptId }) => {
      await fail(t, device, attemptId, { retryable: false });
    });
    expect(await (await call(`/v1/responses/${id}`, "GET")).json()).toMatchObject({
      status: "failed",
      error: {
        code: "invalid_prompt",
        message: "The input is too long for this model's context. (context_length_exceeded)",
      },
    });
  });

  it("forgets its request with the texts of its job", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const body = { ...minimal, metadata: { a: "b" }, background: true };
    const { id } = (await (await post(body)).json()) as Body;
    const canceled = await call(`/v1/responses/${id}/cancel`, "POST");
    expect(await canceled.json()).toMatchObject({ background: true, metadata: { a: "b" } });
    await t.run(async (ctx) => {
      const payload = await queue.payload(ctx, acme.organizationId, id.replace("resp_", ""));
      expect(JSON.stringify(payload)).toContain("metadata");
    });
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    await purgeQueue(t);
    expect(await (await call(`/v1/responses/${id}`, "GET")).json()).toMatchObject({
      status: "cancelled",
      background: false,
      metadata: {},
    });
  });

  it("can be canceled, and canceled again", async () => {
    const { id } = (await (await post({ ...minimal, background: true })).json()) as Body;
    for (let times = 0; times < 2; times += 1) {
      const canceled = await call(`/v1/responses/${id}/cancel`, "POST");
      expect([canceled.status, ((await canceled.json()) as Body).status]).toEqual([200, "cancelled"]);
    }
  });

  it("may be asked for by the header of other calls, whose answer then has its address", async () => {
    const response = await t.fetch("/v1/responses", {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}`, prefer: "respond-async" },
      body: JSON.stringify(minimal),
    });
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBe("respond-async");
    const { id, status } = (await response.json()) as Body;
    expect(status).toBe("queued");
    const location = String(response.headers.get("location"));
    expect(location).toBe(`/v1/responses/${id}`);
    expect(await (await call(location, "GET")).json()).toMatchObject({ id, status: "queued" });
  });

  it("belongs to its key, and is no job of another kind", async () => {
    const other = await addOrganization(t, { name: "Other" });
    const { id } = (await (await post({ ...minimal, background: true })).json()) as Body;
    const headers = { authorization: `Bearer ${other.apiKey}` };
    await expectError(await t.fetch(`/v1/responses/${id}`, { headers }), 404, {});
    const embedding = await t.fetch("/v1/embeddings", {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}`, prefer: "respond-async" },
      body: JSON.stringify({ model: modelId, input: "x" }),
    });
    const jobId = String(embedding.headers.get("x-gleaner-job"));
    await expectError(await call(`/v1/responses/resp_${jobId}`, "GET"), 404, { code: "not_found" });
    await expectError(await call(`/v1/responses/resp_${jobId}/cancel`, "POST"), 404, { code: "not_found" });
    expect(await (await call(`/v1/jobs/${jobId}`, "GET")).json()).toMatchObject({ status: "queued" });
    await expectError(await call(`/v1/responses/${id}/no`, "GET"), 404, { code: "unknown_url" });
    await expectError(await call(`/v1/responses/${id}/cancel`, "GET"), 405, { code: "method_not_allowed" });
  });
});
