import { beforeEach, describe, expect, it } from "vitest";
import {
  addDevice,
  addOrganization,
  type Backend,
  completeWith,
  type Device,
  modelId,
  type Organization,
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

const minimal = { model: modelId, max_tokens: 3, messages: [{ role: "user", content: "Hi" }] };

async function post(
  body: object,
  path = "/v1/messages",
  headers: Readonly<Record<string, string>> = { "x-api-key": acme.apiKey },
): Promise<Response> {
  return await t.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

type Event = {
  readonly type: string;
  readonly delta?: { readonly text?: string; readonly partial_json?: string };
};

const report = {
  usage: { promptTokens: 10, completionTokens: 3, cachedPromptTokens: 7 },
  timing: { prefillMs: 1, generateMs: 1 },
};
const weather = { name: "weather", description: "The weather.", input_schema: { type: "object" } };
const toolCalls = [{ id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }];

describe("POST /v1/messages", () => {
  it("answers with a message, to a key in either header", async () => {
    for (const headers of [{ "x-api-key": acme.apiKey }, { authorization: `Bearer ${acme.apiKey}` }]) {
      const asked = post(
        { ...minimal, system: [{ type: "text", text: "Be brief." }] },
        "/v1/messages",
        headers,
      );
      await takeJob(t, device, async ({ prompt, attemptId, maxTokens }) => {
        expect([prompt, maxTokens]).toEqual(["Be brief.\nHi", 3]);
        await completeWith(t, device, attemptId, {
          result: { text: "Hello", finishReason: "length" },
          report,
        });
      });
      const response = await asked;
      expect(response.status).toBe(200);
      expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"));
      expect(await response.json()).toEqual({
        id: `msg_${String(response.headers.get("x-gleaner-job"))}`,
        type: "message",
        role: "assistant",
        model: modelId,
        content: [{ type: "text", text: "Hello", citations: null }],
        container: null,
        diagnostics: null,
        stop_reason: "max_tokens",
        stop_sequence: null,
        stop_details: null,
        usage: {
          input_tokens: 3,
          cache_read_input_tokens: 7,
          cache_creation_input_tokens: 0,
          output_tokens: 3,
          output_tokens_details: null,
          server_tool_use: null,
          cache_creation: null,
          inference_geo: null,
          service_tier: null,
          speed: null,
        },
      });
    }
  });

  it("translates turns with calls of tools and their results into one chat", async () => {
    const asked = post({
      ...minimal,
      tools: [weather],
      tool_choice: { type: "any" },
      stop_sequences: ["END"],
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather?" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "…", signature: "x" },
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "text", text: "And then?" },
            { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "sun" }] },
            { type: "tool_result", tool_use_id: "b", content: "no such city", is_error: true },
            { type: "tool_result", tool_use_id: "c", content: "Error: timeout", is_error: true },
            { type: "tool_result", tool_use_id: "d", is_error: true },
          ],
        },
      ],
    });
    let chat: unknown = null;
    await takeJob(t, device, async ({ request, attemptId }) => {
      chat = request;
      await completeWith(t, device, attemptId, {
        result: { text: "", finishReason: "tool_calls", toolCalls },
        report,
      });
    });
    expect(await (await asked).json()).toMatchObject({
      stop_reason: "tool_use",
      content: [
        {
          type: "tool_use",
          id: "call_1",
          name: "weather",
          input: { city: "Oslo" },
          caller: { type: "direct" },
        },
      ],
    });
    expect(chat).toMatchObject({
      toolChoice: "required",
      stop: ["END"],
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: "Let me look.",
          toolCalls: [{ id: "a", name: "weather", arguments: '{"city":"Oslo"}' }],
        },
        { role: "tool", toolCallId: "a", content: "sun" },
        { role: "tool", toolCallId: "b", content: "Error: no such city" },
        { role: "tool", toolCallId: "c", content: "Error: timeout" },
        { role: "tool", toolCallId: "d", content: "Error:" },
        { role: "user", content: "And then?" },
      ],
    });
  });

  it.each<[string, object, object]>([
    ["the stop string", { stopText: "END" }, { stop_reason: "stop_sequence", stop_sequence: "END" }],
    ["nothing, as an older one", {}, { stop_reason: "end_turn", stop_sequence: null }],
  ])("says how an answer ended whose device names %s", async (_name, named, ended) => {
    for (const stream of [false, true]) {
      const asked = post({ ...minimal, stop_sequences: ["STOP", "END"], stream });
      await takeJob(t, device, async ({ attemptId }) => {
        const result = { text: "Hello", finishReason: "stop" as const, ...named };
        await completeWith(t, device, attemptId, { result, report });
      });
      const response = await asked;
      const body = stream
        ? (await eventsOf<Event>(response)).find(({ type }) => type === "message_delta")?.delta
        : await response.json();
      expect(body).toMatchObject(ended);
    }
  });

  it("streams its events as the text comes", async () => {
    const asked = post({ ...minimal, stream: true });
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Blue ");
      await new Promise((resolve) => setTimeout(resolve, 60));
      await append(1, "sky.");
      await complete("Blue sky.");
    });
    const events = await eventsOf<Event>(await asked);
    const types = events.map(({ type }) => type);
    expect(types).toEqual([
      "message_start",
      "content_block_start",
      ...types.filter((type) => type === "content_block_delta"),
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events.map(({ delta }) => delta?.text ?? "").join("")).toBe("Blue sky.");
  });

  it("streams a call of a tool", async () => {
    const asked = post({ ...minimal, stream: true, tools: [weather] });
    await takeJob(t, device, async ({ attemptId }) => {
      await completeWith(t, device, attemptId, {
        result: { text: "", finishReason: "tool_calls", toolCalls },
        report,
      });
    });
    const events = await eventsOf<Event>(await asked);
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[2]?.delta?.partial_json).toBe('{"city":"Oslo"}');
  });

  it.each<[object, number, string, string]>([
    [{ max_tokens: undefined }, 400, "invalid_request_error", "max_tokens"],
    [
      { messages: [{ role: "user", content: [{ type: "image", source: {} }] }] },
      400,
      "invalid_request_error",
      "messages",
    ],
    [{ tools: [{ type: "bash_20250124", name: "bash" }] }, 400, "invalid_request_error", "tools"],
    [{ tools: [{ ...weather, name: "no name" }] }, 400, "invalid_request_error", "tools[0].name"],
    [{ thinking: { type: "enabled", budget_tokens: 1_024 } }, 400, "invalid_request_error", "thinking"],
    [{ model: "none" }, 404, "not_found_error", "model"],
  ])("refuses %j in the form of this API", async (over, status, type, param) => {
    const response = await post({ ...minimal, ...over });
    expect(response.status).toBe(status);
    const body = (await response.json()) as {
      type: string;
      error: { type: string; param: string; message: string };
    };
    expect(body).toMatchObject({ type: "error", error: { type } });
    expect(body.error.param).toContain(param);
    expect(body.error.message).not.toMatch(/max_completion_tokens|function\./);
  });

  it.each(["/v1/messages", "/v1/messages/count_tokens"])(
    "refuses a wrong method for %s in this form",
    async (path) => {
      const response = await t.fetch(path, { method: "GET" });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      expect(await response.json()).toMatchObject({
        type: "error",
        error: { type: "invalid_request_error", code: "method_not_allowed" },
      });
      const unknown = await t.fetch("/v1/messages/batches", { method: "POST" });
      expect(await unknown.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
      expect(await (await t.fetch("/v1/messagesx")).json()).not.toHaveProperty("type");
    },
  );

  it("refuses a call without a key", async () => {
    const response = await post(minimal, "/v1/messages", {});
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { type: "error", error: { type: "authentication_error" } },
    ]);
  });
});

describe("POST /v1/messages/count_tokens", () => {
  it("estimates the tokens of the prompt, and runs nothing", async () => {
    const body = { model: modelId, messages: minimal.messages };
    const count = async (more: object): Promise<number> => {
      const response = await post({ ...body, ...more }, "/v1/messages/count_tokens");
      expect(response.status).toBe(200);
      return ((await response.json()) as { input_tokens: number }).input_tokens;
    };
    const short = await count({});
    expect(short).toBeGreaterThan(0);
    expect(await count({ system: "long ".repeat(300) })).toBeGreaterThan(short + 200);
  });
});
