import { beforeEach, describe, expect, it } from "vitest";
import type { ToolCall } from "../../app/jobs/chat.ts";
import { recordOf } from "../../app/json.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  completeWith,
  type Device,
  modelId,
  type Organization,
  release,
  startBackend,
} from "./backend.fixture.ts";
import { eventsOf } from "./events.fixture.ts";
import { takeJob, type Work } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;
let other: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  other = await addDevice(t, acme, "other");
});

async function post(path: string, body: object): Promise<Response> {
  return await t.fetch(path, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: modelId, stream: true, max_tokens: 50, ...body }),
  });
}

const messages = [{ role: "user", content: "Hi" }];
const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "weather", parameters } }];
const likely = { token: "é", logprob: -0.5 };
const choices = [
  { ...likely, top: [likely] },
  { token: " a", logprob: -1, top: [] },
];
const json = '{"city":"Oslo"}';
const report = {
  usage: { promptTokens: 10, completionTokens: 20 },
  timing: { prefillMs: 1, generateMs: 1 },
};

/** The data of unnamed server-sent events. */
async function chunksOf(response: Response): Promise<readonly Record<string, unknown>[]> {
  const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => recordOf(JSON.parse(line.slice("data: ".length))));
}

/** Long enough that the reader has what was appended. */
const readMs = 500;

async function isRead(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, readMs));
}

/** Begins a call, and its arguments. */
async function beginCall({ append, attemptId }: Work): Promise<void> {
  const call = { id: `call_${attemptId}`, name: "weather" };
  await append(0, "é a", [...choices.map((token) => ({ token })), { call }, { arguments: '{"ci' }]);
}

/**
 * One device begins a call and is lost, and another one goes on.
 * @returns the id of the call that was streamed.
 */
async function callInTwoAttempts(): Promise<string> {
  let id = "";
  await takeJob(t, device, async (job) => {
    id = `call_${job.attemptId}`;
    await beginCall(job);
    await isRead();
    await release(t, device, job.attemptId);
  });
  await takeJob(t, other, async (job) => {
    await beginCall(job);
    await job.append(1, "", [{ arguments: 'ty":"' }]);
    await isRead();
    const toolCalls: ToolCall[] = [{ id: `call_${job.attemptId}`, name: "weather", arguments: json }];
    const logprobs = "logprobs" in job.request ? { logprobs: choices } : {};
    const result = { text: "é a", finishReason: "tool_calls" as const, toolCalls, ...logprobs };
    await completeWith(t, other, job.attemptId, { result, report });
  });
  return id;
}

describe("a call of a tool that two devices write", () => {
  it("is streamed as it comes as chunks of a chat, with the log probabilities of the text before it", async () => {
    const asked = post("/v1/chat/completions", { messages, tools, logprobs: true, top_logprobs: 1 });
    const reading = asked.then(chunksOf);
    const id = await callInTwoAttempts();
    const deltas = (await reading).map(({ choices: all }) => recordOf((all as unknown[])[0]));
    const calls = deltas.flatMap(
      ({ delta }) => (recordOf(delta)["tool_calls"] as object[] | undefined) ?? [],
    );
    expect(calls).toEqual([
      { index: 0, id, type: "function", function: { name: "weather", arguments: '{"ci' } },
      { index: 0, function: { arguments: 'ty":"' } },
      { index: 0, function: { arguments: 'Oslo"}' } },
    ]);
    const tokens = deltas.flatMap(({ logprobs }) => (recordOf(logprobs)["content"] as object[] | null) ?? []);
    expect(tokens).toMatchObject([
      { ...likely, top_logprobs: [likely] },
      { token: " a", logprob: -1 },
    ]);
    expect(deltas.findIndex(({ logprobs }) => logprobs !== null)).toBeLessThan(
      deltas.findIndex(({ delta }) => "tool_calls" in recordOf(delta)),
    );
  });

  it("is streamed as it comes as events of a response", async () => {
    type Event = { readonly type: string; readonly delta?: string; readonly logprobs?: readonly object[] };
    const include = ["message.output_text.logprobs"];
    const body = { input: "Hi", tools: [{ type: "function", name: "weather", parameters }], include };
    const asked = post("/v1/responses", { ...body, max_tokens: undefined, top_logprobs: 1 });
    const reading = asked.then(async (response) => await eventsOf<Event & Record<string, unknown>>(response));
    const id = await callInTwoAttempts();
    const events = await reading;
    const types = events.map(({ type }) => type.replace("response.", ""));
    expect(types).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.delta",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ]);
    expect(events[4]).toMatchObject({ delta: "é a", logprobs: [likely, { token: " a" }] });
    const item = { type: "function_call", call_id: id, name: "weather", status: "completed" };
    expect(events[13]).toMatchObject({ output_index: 1, item: { ...item, arguments: json } });
    expect(events.slice(9, 12).map(({ delta }) => delta)).toEqual(['{"ci', 'ty":"', 'Oslo"}']);
  });

  it("is streamed as it comes as blocks of a message", async () => {
    type Event = { readonly type: string; readonly index?: number; readonly delta?: object };
    const asked = post("/v1/messages", { messages, tools: [{ name: "weather", input_schema: parameters }] });
    const reading = asked.then(async (response) => await eventsOf<Event>(response));
    const id = await callInTwoAttempts();
    const blocks = (await reading).filter(({ type }) => type.startsWith("content_block"));
    expect(blocks).toMatchObject([
      { type: "content_block_start", index: 0 },
      { type: "content_block_delta", index: 0, delta: { text: "é a" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { id, name: "weather", input: {} } },
      { type: "content_block_delta", index: 1, delta: { partial_json: '{"ci' } },
      { type: "content_block_delta", index: 1, delta: { partial_json: 'ty":"' } },
      { type: "content_block_delta", index: 1, delta: { partial_json: 'Oslo"}' } },
      { type: "content_block_stop", index: 1 },
    ]);
  });

  it("comes whole to Ollama's clients, after the text and its log probabilities", async () => {
    const asked = post("/api/chat", {
      messages,
      tools,
      max_tokens: undefined,
      logprobs: true,
      top_logprobs: 1,
    });
    const reading = asked.then(async (response) => await response.text());
    await callInTwoAttempts();
    const lines = (await reading).trim().split("\n");
    const parts = lines.map((line) => recordOf(JSON.parse(line)));
    expect(parts).toMatchObject([
      { message: { content: "é a" }, logprobs: [likely, { token: " a" }], done: false },
      { message: { tool_calls: [{ function: { name: "weather", arguments: { city: "Oslo" } } }] } },
      { done: true },
    ]);
    expect(parts[2]).not.toHaveProperty("logprobs");
  });

  it("ends a stream with an error if the devices call different tools", async () => {
    const asked = post("/v1/chat/completions", { messages, tools });
    const reading = asked.then(chunksOf);
    await takeJob(t, device, async (job) => {
      await beginCall(job);
      await isRead();
      await release(t, device, job.attemptId);
    });
    await takeJob(t, other, async ({ append }) => {
      await append(0, "é a", [{ call: { id: "c", name: "clock" } }]);
      await isRead();
    });
    expect((await reading).at(-1)).toMatchObject({ error: { code: "attempt_diverged" } });
  });
});

describe("several calls in an answer", () => {
  const toolCalls = ["a", "b"].map((id) => ({ id, name: "weather", arguments: json }));

  async function finish(): Promise<void> {
    await takeJob(t, device, async ({ attemptId }) => {
      const result = { text: "", finishReason: "tool_calls" as const, toolCalls };
      await completeWith(t, device, attemptId, { result, report });
    });
  }

  it("are items of a response, one after the other", async () => {
    type Event = { readonly type: string; readonly output_index?: number; readonly item?: object };
    const own = [{ type: "function", name: "weather", parameters }];
    const asked = post("/v1/responses", { input: "Hi", tools: own, max_tokens: undefined });
    await finish();
    const events = await eventsOf<Event>(await asked);
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done).toMatchObject([
      { output_index: 0, item: { call_id: "a", arguments: json } },
      { output_index: 1, item: { call_id: "b", arguments: json } },
    ]);
  });

  it("are blocks of a message, one after the other", async () => {
    type Event = { readonly type: string; readonly index?: number };
    const asked = post("/v1/messages", { messages, tools: [{ name: "weather", input_schema: parameters }] });
    await finish();
    const blocks = (await eventsOf<Event>(await asked)).filter(({ index }) => index !== undefined);
    expect(blocks.map(({ type, index }) => `${type} ${String(index)}`)).toEqual(
      [0, 1].flatMap((at) => ["start", "delta", "stop"].map((name) => `content_block_${name} ${String(at)}`)),
    );
  });

  it("are refused of a device if the request allows one", async () => {
    const body = { messages, tools, parallel_tool_calls: false, stream: false };
    const asked = post("/v1/chat/completions", body);
    await finish();
    await takeJob(t, other, async ({ request, attemptId }) => {
      expect(request).toMatchObject({ parallelToolCalls: false });
      const result = { text: "", finishReason: "tool_calls" as const, toolCalls: toolCalls.slice(1) };
      await completeWith(t, other, attemptId, { result, report });
    });
    expect(await (await asked).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: "b" }] } }],
    });
  });
});

it("a continuation streams the log probabilities of each piece, with the places of its tokens", async () => {
  const asked = post("/v1/completions", { prompt: "Once", logprobs: 1 });
  const reading = asked.then(chunksOf);
  await takeJob(t, device, async ({ append, attemptId }) => {
    const [first, second] = choices.map((token) => ({ token }));
    await append(0, "é", [first!]);
    await isRead();
    await append(1, " a", [second!]);
    await isRead();
    const result = { text: "é a!", finishReason: "stop" as const };
    const logprobs = [...choices, { token: "!", logprob: -2, top: [] }];
    await completeWith(t, device, attemptId, { result: { ...result, logprobs }, report });
  });
  const pieces = (await reading).map(({ choices: all }) => recordOf((all as unknown[])[0]));
  expect(pieces).toMatchObject([
    { text: "é", logprobs: { tokens: ["é"], text_offset: [0] } },
    { text: " a", logprobs: { tokens: [" a"], text_offset: [1] } },
    { text: "!", logprobs: { tokens: ["!"], text_offset: [3] } },
    { text: "", logprobs: null, finish_reason: "stop" },
  ]);
});

it("a device cannot stream data that is no part of an answer", async () => {
  void post("/v1/chat/completions", { messages });
  await takeJob(t, device, async ({ append, complete }) => {
    await expect(append(0, "a", [{ other: 1 } as never])).rejects.toThrow(/validator/i);
    await complete("a");
  });
});
