import { expect, it } from "vitest";
import type { ChatRequest, ChatResult } from "../chat.ts";
import { textMistake } from "./text-check.ts";

const maxTokens = 400;

function mistakeOf(answer: Partial<ChatResult>, completionTokens: number, asked: Partial<ChatRequest> = {}) {
  const request: ChatRequest = {
    messages: [{ role: "user", content: "Hello" }],
    maxTokens,
    temperature: 0,
    topP: 1,
    seed: 1,
    stop: [],
    ...asked,
  };
  const result: ChatResult = {
    text: "{",
    finishReason: "length",
    usage: { promptTokens: 10, completionTokens },
    timing: { prefillMs: 5, generateMs: 20 },
    ...answer,
  };
  return textMistake(result, { request, promptTokens: 100, contextTokens: 4_096, heldMs: 1_000 });
}

const tool = { name: "look_up" };

it.each<[string, Partial<ChatResult>, Partial<ChatRequest>]>([
  ["JSON that was cut in blanks", {}, { format: { kind: "json" } }],
  ["a schema's JSON that was cut in blanks", {}, { format: { kind: "json-schema", schema: "{}" } }],
  ["a tool call that was cut", { text: "" }, { tools: [tool] }],
  ["a text that was cut in tokens without text", { text: "" }, {}],
  [
    "JSON with a stop string after blanks",
    { finishReason: "stop" },
    { format: { kind: "json" }, stop: ["}"] },
  ],
])("accepts all tokens of %s", (_name, answer, asked) => {
  expect(mistakeOf(answer, maxTokens, asked)).toBeNull();
});

it.each([maxTokens + 1, 1e9, Number.NaN, Infinity, -1, 399.5])(
  "refuses %d tokens of JSON that was cut",
  (completionTokens) => {
    expect(mistakeOf({}, completionTokens, { format: { kind: "json" } })).toMatch(/^completionTokens is not/);
  },
);

it.each<[string, Partial<ChatResult>, Partial<ChatRequest>]>([
  ["a whole text", { text: "{}" }, {}],
  ["a text before a stop string", { text: "{" }, { stop: ["}"] }],
  ["whole JSON", { text: "{}" }, { format: { kind: "json" } }],
  [
    "a whole tool call",
    { text: "", finishReason: "tool_calls", toolCalls: [{ id: "call_1", name: "look_up", arguments: "{}" }] },
    { tools: [tool] },
  ],
])("refuses many more tokens than %s shows", (_name, answer, asked) => {
  expect(mistakeOf({ finishReason: "stop", ...answer }, maxTokens, asked)).toMatch(
    /^completionTokens is not/,
  );
});
