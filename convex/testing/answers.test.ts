import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Usage } from "../../app/jobs/chat.ts";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  addWaiting,
  answer,
  type Backend,
  chat,
  claim,
  completeWith,
  type Device,
  expectBooksInOrder,
  jobOf,
  type Organization,
  pass,
  release,
  startBackend,
  submit,
  submitWork,
  tryClaim,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
let liar: Device;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t, { contextTokens: 8_192 });
  liar = await addDevice(t, acme, "liar");
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

type Completion = FunctionArgs<typeof api.work.complete>;

/** Sends and signs an answer that a real device would not send. */
async function send(
  device: Device,
  attemptId: string,
  result: object,
  report: object = answer().report,
): Promise<{ kind: string }> {
  return await completeWith(t, device, attemptId, { result, report } as Pick<
    Completion,
    "result" | "report"
  >);
}

const weather = {
  name: "weather",
  parameters: JSON.stringify({ type: "object", properties: { city: { type: "string" } } }),
};
const sum = {
  name: "sum",
  parameters: JSON.stringify({ type: "object", properties: { a: { type: "integer" } } }),
};
const call = (name: string, json: string) => ({ id: "call_1", name, arguments: json });
const said = (text: string) => ({ text, finishReason: "stop" });
const called = (name: string, json: string) => ({
  text: "",
  finishReason: "tool_calls",
  toolCalls: [call(name, json)],
});
const used = (usage: object) => ({
  usage: { ...answer().report.usage, ...usage },
  timing: answer().report.timing,
});
const schema = JSON.stringify({ type: "object", properties: { n: { type: "integer" } } });
const pay = {
  name: "pay",
  parameters: JSON.stringify({
    type: "object",
    properties: { to: { enum: ["bob"] }, amount: { type: "integer" } },
  }),
};
const jsonSchema = (of: object) => ({ format: { kind: "json-schema", schema: JSON.stringify(of) } });
const cut = (text: string, maxTokens: number): [object, object] => [
  { text, finishReason: "length" },
  used({ completionTokens: maxTokens }),
];
const choice = (token: string) => ({ token, logprob: -0.5, top: [] });

it("takes vectors of the length that was asked for, and no others", async () => {
  const request = { inputs: ["a"], dimensions: 2 };
  const jobId = await submitWork(t, acme.apiKey, { kind: "embedding", request });
  const report = { usage: { promptTokens: 3, completionTokens: 0 }, timing: answer().report.timing };
  const attemptId = await claim(t, liar, jobId);
  expect(await send(liar, attemptId, { embeddings: ["AACAPw=="] }, report)).toMatchObject({
    kind: "refused",
  });
  const honest = await addWaiting(t, acme);
  await pass(t, 31_000);
  const second = await claim(t, honest, jobId);
  expect(await send(honest, second, { embeddings: ["AACAPwAAAAA="] }, report)).toMatchObject({
    kind: "completed",
  });
});

describe("an answer that does not fit its request", () => {
  it.each<[string, object, object, object?]>([
    ["cached tokens that are no number", {}, said("Hi."), used({ cachedPromptTokens: Number.NaN })],
    ["a billion cached tokens", {}, said("Hi."), used({ cachedPromptTokens: 1e9 })],
    ["half a token", {}, said("Hi."), used({ cachedPromptTokens: 0.5 })],
    ["less than no token", {}, said("Hi."), used({ promptTokens: -1 })],
    ["too much text", {}, said("x".repeat(513 * 1024))],
    ["more tokens than were asked for", {}, said("Hi.".repeat(100)), used({ completionTokens: 65 })],
    [
      "more tokens than its text can have",
      { maxTokens: 1_000 },
      said("Hi."),
      used({ completionTokens: 900 }),
    ],
    ["more prompt tokens than the prompt can have", {}, said("Hi."), used({ promptTokens: 8_000 })],
    ["an infinite time", {}, said("Hi."), { ...used({}), timing: { prefillMs: Infinity, generateMs: 1 } }],
    ["a tool that was not offered", { tools: [weather] }, called("rm", "{}")],
    [
      "a tool although it must not",
      { tools: [weather], toolChoice: "none" },
      called("weather", '{"city":"A"}'),
    ],
    [
      "another tool than it has to call",
      { tools: [weather, sum], toolChoice: { name: "sum" } },
      called("weather", '{"city":"A"}'),
    ],
    ["no tool although it has to", { tools: [weather], toolChoice: "required" }, said("Hi.")],
    ["arguments that are not JSON", { tools: [weather] }, called("weather", "{")],
    ["arguments that do not hold the tool's schema", { tools: [weather] }, called("weather", '{"city":1}')],
    ["a stop string", { stop: ["END"] }, said("Hi. END")],
    ["text instead of JSON", { format: { kind: "json" } }, said("Hi.")],
    ["JSON that does not hold the schema", { format: { kind: "json-schema", schema } }, said('{"n":"1"}')],
    [
      "JSON out of a bound of the schema",
      jsonSchema({ type: "object", properties: { n: { type: "integer", minimum: 3 } } }),
      said('{"n":2}'),
    ],
    [
      "arguments of another format than the tool's schema demands",
      {
        tools: [
          {
            name: "mail",
            parameters: '{"type":"object","properties":{"to":{"type":"string","format":"email"}}}',
          },
        ],
      },
      called("mail", '{"to":"nobody"}'),
    ],
    ["no log probabilities", { logprobs: 1 }, said("Hi.")],
    [
      "a log probability above 0",
      { logprobs: 0 },
      { ...said("Hi."), logprobs: [{ token: "Hi.", logprob: 0.5, top: [] }] },
    ],
    [
      "a log probability that is no number",
      { logprobs: 0 },
      { ...said("Hi."), logprobs: [{ token: "Hi.", logprob: Number.NaN, top: [] }] },
    ],
    ["an end by its length, although it is short", {}, { text: "Hi.", finishReason: "length" }],
    ...(
      [
        ["one byte", {}, { text: "x" }],
        ["nothing", {}, { text: "" }],
        ["cut JSON", { format: { kind: "json" }, stop: ["}"] }, { text: "{" }],
        ["a hidden tool call", { tools: [weather] }, { text: "" }],
      ] as const
    ).map(
      ([name, asked, shown]) =>
        [
          `a thousand tokens for ${name}`,
          { maxTokens: 1_000, ...asked },
          { ...shown, finishReason: "length" },
          used({ completionTokens: 1_000 }),
        ] as [string, object, object, object],
    ),
    [
      "no JSON before a stop string",
      { format: { kind: "json-schema", schema }, stop: ["ZZZ"] },
      said("rm -rf / # not JSON at all"),
    ],
    [
      "JSON before a stop string that cannot follow",
      { format: { kind: "json-schema", schema }, stop: ["ZZZ"] },
      said('{"n":'),
    ],
    [
      "no integer that was cut",
      { maxTokens: 16, ...jsonSchema({ type: "integer" }) },
      ...cut("I am no JSON. abcdefghijklmnop", 16),
    ],
    [
      "a wrong value in JSON that was cut",
      {
        maxTokens: 3,
        ...jsonSchema({ type: "object", properties: { n: { enum: ["bob"] }, m: { type: "null" } } }),
      },
      ...cut('{"n":"eve","m":', 3),
    ],
    ["no JSON object that was cut", { maxTokens: 3, format: { kind: "json" } }, ...cut("[1, 2", 3)],
    [
      "a tool call that was cut, with wrong arguments",
      { maxTokens: 16, tools: [pay], toolChoice: { name: "pay" } },
      {
        text: "",
        finishReason: "length",
        toolCalls: [call("pay", '{"to":"eve","amount":1e9} and this is not JSON')],
      },
      used({ completionTokens: 16 }),
    ],
    [
      "text that was cut instead of the tool call that it has to make",
      { maxTokens: 3, tools: [pay], toolChoice: "required" },
      ...cut("rm -rf", 3),
    ],
    [
      "log probabilities of another text",
      { logprobs: 0 },
      { ...said("ok"), logprobs: [choice("MARKER not in the text at all")] },
    ],
    [
      "log probabilities of a part of the text",
      { logprobs: 0 },
      { ...said("Hi."), logprobs: [choice("Hi")] },
    ],
    [
      "log probabilities of more than the text",
      { logprobs: 0 },
      { ...said("Hi."), logprobs: [choice("Hi."), choice("MARKER")] },
    ],
    [
      "far fewer log probabilities than tokens",
      { maxTokens: 400, logprobs: 0 },
      { text: "x".repeat(400), finishReason: "length", logprobs: [choice("x".repeat(400))] },
      used({ completionTokens: 400 }),
    ],
    ["half a character", {}, said("\ud83d")],
    ["no text at all", {}, { finishReason: "stop" }],
    ["vectors", {}, { embeddings: ["AAAAAA=="] }],
  ])("is not paid and goes to another device: %s", async (_, asked, result, report = answer().report) => {
    const honest = await addWaiting(t, acme);
    const request = chat("Hi", { maxTokens: 64, ...asked });
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
    const attemptId = await claim(t, liar, jobId);
    expect(await send(liar, attemptId, result, report)).toMatchObject({ kind: "refused" });
    // The attempt is over.
    expect(await t.query(api.work.held, { key: liar.key })).toEqual([]);
    expect(await send(liar, attemptId, result, report)).toMatchObject({ kind: "fenced" });
    await pass(t, 31_000);
    expect(await tryClaim(t, liar, jobId)).toEqual({ kind: "unable" });
    await release(t, honest, await claim(t, honest, jobId));
    const { balanceMicro } = await t.query(api.devices.earnings, { key: liar.key, since: 0 });
    expect(balanceMicro).toBe(0n);
    expect(await jobOf(t, acme, jobId)).toMatchObject({ status: "ready", failures: 1 });
  });

  it("is refused if it differs from the text that was streamed", async () => {
    const append = async (attemptId: string, seq: number, text: string) =>
      await t.mutation(api.work.append, { key: liar.key, attemptId, seq, text });
    const attemptId = await claim(t, liar, await submit(t, acme, { stream: true }));
    await append(attemptId, 0, "Blue 🐦 ");
    await append(attemptId, 1, "is ");
    expect(await send(liar, attemptId, said("Blue 🐦 was one."))).toMatchObject({ kind: "refused" });
    const other = await claim(t, liar, await submit(t, acme, { stream: true }));
    await append(other, 0, "Blue 🐦 ");
    await append(other, 1, "is ");
    expect(await send(liar, other, said("Blue 🐦"))).toMatchObject({ kind: "refused" });
    const good = await claim(t, liar, await submit(t, acme, { stream: true }));
    await append(good, 0, "Blue 🐦 ");
    await append(good, 1, "is ");
    expect(await send(liar, good, said("Blue 🐦 is one."))).toMatchObject({ kind: "completed" });
  });

  it.each<[string, Partial<Parameters<typeof chat>[1]>, object, Partial<Usage>?]>([
    [
      "an offered tool",
      { tools: [weather] },
      called("weather", '{"city":"Aachen"}'),
      { completionTokens: 9 },
    ],
    ["text beside an offered tool", { tools: [weather] }, said("It rains.")],
    ["JSON", { format: { kind: "json" } }, said('{"a": [1, {}]}'), { completionTokens: 9 }],
    ["JSON that holds the schema", { format: { kind: "json-schema", schema } }, said('{"n": 1}')],
    [
      "JSON that was cut",
      { maxTokens: 3, format: { kind: "json" } },
      { text: '{"a', finishReason: "length" },
    ],
    ["nothing", {}, said(""), { completionTokens: 0 }],
    ["a cut character", { maxTokens: 3 }, { text: "Hi \uFFFD", finishReason: "length" }],
    [
      "a tool call that was cut",
      { maxTokens: 3, tools: [weather] },
      { text: "", finishReason: "length", toolCalls: [call("weather", '{"ci')] },
    ],
    [
      "log probabilities",
      { logprobs: 1 },
      { ...said("Hi"), logprobs: [{ token: "Hi", logprob: 0, top: [{ token: "Ho", logprob: -9_999 }] }] },
    ],
  ])("is told apart from a right one: %s", async (_, asked, result, usage = {}) => {
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", asked) });
    expect(await send(liar, await claim(t, liar, jobId), result, used(usage))).toMatchObject({
      kind: "completed",
    });
  });
});

it("pays for no more prompt tokens than are reserved for the prompt, whatever a device counts", async () => {
  const request = chat("Hi", { maxTokens: 1_000 });
  const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
  const counts = used({ promptTokens: 2_000, completionTokens: 2 });
  const attemptId = await claim(t, liar, jobId);
  expect(await send(liar, attemptId, said("Hi."), counts)).toMatchObject({ kind: "completed" });
  const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  // Two bytes, 32 tokens for a message and 64 for a chat, at 2 each, and two tokens of the answer at 6.
  expect(order?.priceMicro).toBe(BigInt((2 + 32 + 64) * 2 + 2 * 6));
});
