import { expect, it } from "vitest";
import type { ChatRequest, ChatResult } from "../chat.ts";
import { attemptLimitMs, extentOf } from "../extent.ts";
import { askedAgain, hasChecks, holdsChecks } from "./answer-checks.ts";

const lower = JSON.stringify({ type: "object", properties: { a: { type: "string", pattern: "^[a-z]+$" } } });
const plain = JSON.stringify({ type: "object", properties: { a: { type: "string" } } });
const request: ChatRequest = {
  messages: [{ role: "user", content: "x" }],
  maxTokens: 100,
  temperature: 0,
  topP: 1,
  seed: 2 ** 31 - 1,
  stop: [],
};
const format = { kind: "json-schema", schema: lower } as const;
const tools = [
  { name: "plain", parameters: plain },
  { name: "lower", parameters: lower },
];
const result: ChatResult = {
  text: "",
  finishReason: "stop",
  usage: { promptTokens: 1, completionTokens: 1 },
  timing: { prefillMs: 1, generateMs: 1 },
};
const called = (name: string, json: string): ChatResult => ({
  ...result,
  finishReason: "tool_calls",
  toolCalls: [{ id: "1", name, arguments: json }],
});

it.each<[boolean, Partial<ChatRequest>]>([
  [false, {}],
  [false, { format: { kind: "json" } }],
  [
    false,
    { format: { kind: "json-schema", schema: plain }, tools: [{ name: "none" }, tools[0] ?? { name: "" }] },
  ],
  [false, { tools, toolChoice: "none" }],
  [false, { tools, toolChoice: { name: "plain" } }],
  [true, { format }],
  [true, { tools }],
  [true, { tools, toolChoice: { name: "lower" } }],
])("needs a check (%s) of an answer to %j", (needed, asked) => {
  expect(hasChecks({ ...request, ...asked })).toBe(needed);
});

it.each<[boolean, ChatResult]>([
  [true, { ...result, text: '{"a":"x"}' }],
  [false, { ...result, text: '{"a":"X"}' }],
  [true, { ...result, text: '{"a":"X' }],
  [true, { ...result, text: '{"a":"X"}', finishReason: "length" }],
  [true, called("lower", '{"a":"x"}')],
  [false, called("lower", '{"a":"X"}')],
  [true, called("plain", '{"a":"X"}')],
])("finds that (%s) the answer %j holds its schema", (isHeld, answer) => {
  expect(holdsChecks(answer, { format, tools })).toBe(isHeld);
});

it("asks for another answer with another seed and some chance, and leaves the first try alone", () => {
  expect(askedAgain(request, 0)).toBe(request);
  const again = askedAgain(request, 1);
  expect(again).toEqual({ ...request, seed: 0, temperature: 0.7 });
  expect(askedAgain({ ...request, temperature: 1 }, 2)).toMatchObject({ seed: 1, temperature: 1 });
  const likeliest = { ...request, topP: 0, topK: 1, minP: 1 };
  expect(askedAgain(likeliest, 1)).toMatchObject({ topP: 0.9, topK: 20, minP: 0.1 });
  expect(askedAgain({ ...likeliest, topK: 0 }, 1)).toMatchObject({ topK: 0 });
});

it("gives a device the time for all tries", () => {
  const model = { contextTokens: 512 };
  const limit = (asked: Partial<ChatRequest>): number =>
    attemptLimitMs(extentOf({ kind: "chat", request: { ...request, ...asked } }, model));
  expect(limit({ format })).toBeGreaterThan(
    limit({ format: { kind: "json-schema", schema: plain } }) + 90_000,
  );
});
