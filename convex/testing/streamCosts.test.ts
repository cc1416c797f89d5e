import { beforeEach, describe, expect, it } from "vitest";
import { chatCompletionChunk, completion, response } from "../../app/openapi/answers/texts.ts";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectBooksInOrder,
  modelId,
  type Organization,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

// The headers of a stream are sent before its job has a device. So its last event tells what has become known.

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  const speed = { prefill: 900, generate: 60, backend: "vulkan" };
  await t.mutation(api.devices.reportModels, {
    key: device.key,
    models: [{ modelId, state: "ready", speed }],
  });
});

type Event = Readonly<Record<string, unknown>>;

/** The events of a call that streams the answers of its jobs, without their names. */
async function streamed(path: string, body: object, jobs = 1): Promise<readonly Event[]> {
  const asked = t.fetch(path, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}` },
    body: JSON.stringify({ model: modelId, stream: true, ...body }),
  });
  for (let at = 0; at < jobs; at += 1)
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
  const lines = (await (await asked).text()).split("\n").map((line) => line.replace(/^data: /, ""));
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Event);
}

const messages = [{ role: "user", content: "Name a color." }];
const chatPath = "/v1/chat/completions";
const withUsage = { stream_options: { include_usage: true } };
const ofResponse = (event: Event): Event => (event["response"] as Event | undefined) ?? {};

const calls = [
  ["a chat", chatPath, { messages }, 1, chatCompletionChunk],
  ["a chat with its usage", chatPath, { messages, ...withUsage }, 1, chatCompletionChunk],
  ["a completion", "/v1/completions", { prompt: "Blue" }, 1, completion],
  ["a completion with its usage", "/v1/completions", { prompt: "Blue", ...withUsage }, 1, completion],
  ["a message", "/v1/messages", { messages, max_tokens: 16 }, 2, null],
  ["a chat in Ollama's API", "/api/chat", { messages }, 1, null],
  ["a text in Ollama's API", "/api/generate", { prompt: "Name a color." }, 1, null],
] as const;

async function expectCost(own: unknown): Promise<void> {
  const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  expect(own).toEqual({
    queue_ms: expect.any(Number),
    device_class: "linux-x64/vulkan",
    model_sha256: "ab".repeat(32),
    price_percent: 100,
    price_micro: String(order!.priceMicro),
    energy: null,
  });
  expect(order!.priceMicro).toBeGreaterThan(0n);
}

describe("the last event of a stream has the cost of its answer, and no other event has it", () => {
  it.each(calls)("%s", async (_, path, body, fromEnd, schema) => {
    const events = await streamed(path, body);
    await expectCost(events.at(-fromEnd)?.["x_gleaner"]);
    expect(events.filter((event) => "x_gleaner" in event)).toHaveLength(1);
    for (const event of events) schema?.strict().parse(event);
    await expectBooksInOrder(t);
  });

  it("a response", async () => {
    const events = await streamed("/v1/responses", { input: "Name a color." });
    const last = ofResponse(events.at(-1)!);
    expect(events.at(-1)?.["type"]).toBe("response.completed");
    await expectCost(last["x_gleaner"]);
    expect(events.filter((event) => "x_gleaner" in ofResponse(event))).toHaveLength(1);
    response.parse(last);
  });
});

it("sums the costs of several choices", async () => {
  const events = await streamed(chatPath, { messages, n: 3 }, 3);
  const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  const price = orders.reduce((sum, { priceMicro = 0n }) => sum + priceMicro, 0n);
  expect(events.at(-1)?.["x_gleaner"]).toMatchObject({
    price_micro: String(price),
    queue_ms: null,
    device_class: null,
    model_sha256: "ab".repeat(32),
  });
  expect(events.filter((event) => "x_gleaner" in event)).toHaveLength(1);
});
