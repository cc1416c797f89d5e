import { expect, it } from "vitest";
import type { ChatRequest, ChatResult } from "../chat.ts";
import { limits } from "../limits.ts";
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

const call = { id: "call_1", name: "look_up", arguments: "{" };

it.each<[string, Partial<ChatResult>, Partial<ChatRequest>]>([
  ["one byte of text", { text: "x" }, {}],
  ["no text", { text: "" }, {}],
  ["cut JSON", { text: "{" }, { format: { kind: "json" } }],
  ["cut JSON with a stop string", { text: "{" }, { format: { kind: "json" }, stop: ["}"] }],
  ["a schema's cut JSON", { text: "{" }, { format: { kind: "json-schema", schema: "{}" } }],
  ["a tool call without arguments", { text: "", toolCalls: [call] }, { tools: [tool] }],
  ["a hidden tool call", { text: "" }, { tools: [tool] }],
])("refuses far more tokens than %s can have, whatever ended it", (_name, answer, asked) => {
  for (const most of [maxTokens, 32_768]) {
    for (const finishReason of ["length", "stop"] as const) {
      const given = { ...asked, maxTokens: most };
      expect(mistakeOf({ ...answer, finishReason }, most, given)).toMatch(/^completionTokens is not/);
    }
  }
});

it.each<[string, Partial<ChatResult>, Partial<ChatRequest>]>([
  ["text", { text: "x".repeat(maxTokens) }, {}],
  ["JSON that was cut in blanks", { text: `{${" ".repeat(maxTokens)}` }, { format: { kind: "json" } }],
  [
    "a tool call that was cut",
    { text: "", toolCalls: [{ ...call, arguments: `{"a":"${"x".repeat(maxTokens)}` }] },
    { tools: [{ ...tool, parameters: '{"type":"object","properties":{"a":{"type":"string"}}}' }] },
  ],
])("accepts all tokens of %s if all bytes are there", (_name, answer, asked) => {
  expect(mistakeOf(answer, maxTokens, asked)).toBeNull();
});

it("refuses text beside a tool call if the text has a format", () => {
  const asked = { tools: [tool], format: { kind: "json" } } as const;
  const called: Partial<ChatResult> = {
    finishReason: "tool_calls",
    toolCalls: [{ ...call, arguments: "{}" }],
  };
  expect(mistakeOf({ ...called, text: "" }, 5, asked)).toBeNull();
  expect(mistakeOf({ ...called, text: "{}" }, 5, asked)).toBe("The answer has text beside its tool call.");
});

it("accepts that a stop string has cut the beginning of a call, of which nothing is shown", () => {
  const answer = { text: "", finishReason: "stop" } as const;
  const asked = { format: { kind: "json" }, stop: ["tool"] } as const;
  expect(mistakeOf(answer, 2, { ...asked, tools: [tool] })).toBeNull();
  expect(mistakeOf(answer, 2, asked)).toBe("The answer begins otherwise than the request's format allows.");
});

it("refuses an answer that says that it was cut, but has fewer tokens than were asked for", () => {
  const answer = { text: "x".repeat(maxTokens) };
  expect(mistakeOf(answer, maxTokens - 1)).toBe("The answer says that it was cut, but it is short.");
});

it.each<[string, Partial<ChatResult>, string | null]>([
  ["one of the request's", { stopText: "END" }, null],
  ["none, as an older donor", {}, null],
  ["another one", { stopText: "other" }, "The answer names a stop string that is none of the request's."],
  [
    "one after a full answer",
    { stopText: "END", finishReason: "length", text: "x".repeat(maxTokens) },
    "The answer names a stop string, but another end.",
  ],
])("judges an answer that names %s as its stop string", (_name, over, mistake) => {
  const completionTokens = over.finishReason === "length" ? maxTokens : 2;
  const answer: Partial<ChatResult> = { text: "Hi", finishReason: "stop", ...over };
  expect(mistakeOf(answer, completionTokens, { stop: ["STOP", "END"] })).toBe(mistake);
});

it("accepts several calls, of which the bound of tokens may cut the last one", () => {
  const whole = { ...call, arguments: "{}" };
  const cut = { ...call, id: "call_2" };
  const asked = { tools: [tool] };
  const text = "x".repeat(maxTokens);
  expect(mistakeOf({ text, toolCalls: [whole, cut] }, maxTokens, asked)).toBeNull();
  expect(mistakeOf({ text, toolCalls: [cut, { ...whole, id: "call_3" }] }, maxTokens, asked)).toBe(
    "A tool call's arguments are not JSON.",
  );
  const both: Partial<ChatResult> = { finishReason: "tool_calls", toolCalls: [whole, { ...whole, id: "c" }] };
  expect(mistakeOf({ text: "", ...both }, 5, asked)).toBeNull();
  for (const less of [{ parallelToolCalls: false }, { toolChoice: { name: tool.name } }])
    expect(mistakeOf({ text: "", ...both }, 5, { ...asked, ...less })).toBe(
      "The answer has too many tool calls.",
    );
});

it.each<[string, Partial<ChatResult>, Partial<ChatRequest>]>([
  [
    "two calls where one is allowed",
    {
      toolCalls: [
        { ...call, arguments: "{}" },
        { ...call, id: "call_2" },
      ],
    },
    { tools: [tool], parallelToolCalls: false },
  ],
  ["a call of an unknown tool", { toolCalls: [{ ...call, name: "rm" }] }, { tools: [tool] }],
  ["a call that was not offered", { toolCalls: [call] }, {}],
  ["a call with half a character", { toolCalls: [{ ...call, arguments: "\ud800" }] }, { tools: [tool] }],
])("refuses %s in an answer that was cut", (_name, answer, asked) => {
  expect(mistakeOf({ text: "x".repeat(maxTokens), ...answer }, maxTokens, asked)).toMatch(/^(The|Two)/);
});

it.each([maxTokens + 1, 1e9, Number.NaN, Infinity, -1, 399.5])(
  "refuses %d tokens of JSON that was cut",
  (completionTokens) => {
    const answer = { text: "{".repeat(2 * maxTokens) };
    expect(mistakeOf(answer, completionTokens, { format: { kind: "json" } })).toMatch(
      /^completionTokens is not/,
    );
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

it.each<[string, string, string | null]>([
  ["as many tokens as it reports", "A BC", null],
  ["fewer tokens", "AB", "The answer has another number of tokens than it reports."],
  ["more tokens", "AB CD", "The answer has another number of tokens than it reports."],
  ["no tokens", "", "The answer has another number of tokens than it reports."],
  ["a part for its text, and three for calls that were cut", "A B C ", null],
  ["more parts than it has", "A B C  ", "The tokens of the answer have more parts than it has."],
  ["a lot of blanks", `ABC${" ".repeat(1_000)}`, "The tokens of the answer have more parts than it has."],
  ["a text that is none of tokens", "A B!", "The tokens of the answer are not in the form of tokens."],
])("reads an answer that tells %s", (_name, written, mistake) => {
  expect(mistakeOf({ text: "Hi", finishReason: "stop", written }, 3)).toBe(mistake);
});

it("takes two more parts of its tokens for each call of an answer", () => {
  const toolCalls = ["call_1", "call_2"].map((id) => ({ id, name: "look_up", arguments: "{}" }));
  const answer = { text: "", finishReason: "tool_calls", toolCalls } as const;
  const asked = { tools: [tool, { ...tool, name: "other" }] };
  expect(mistakeOf({ ...answer, written: "A B C D E F" }, 6, asked)).toBeNull();
  expect(mistakeOf({ ...answer, written: "A B C D E F " }, 6, asked)).toBe(
    "The tokens of the answer have more parts than it has.",
  );
});

it("refuses an answer that is too large with its tokens", () => {
  const written = "gggA".repeat(limits.maxTokens);
  const text = "x".repeat(limits.resultBytes - written.length - 300);
  const answer = { text, finishReason: "stop" } as const;
  const asked = { maxTokens: limits.maxTokens };
  expect(mistakeOf(answer, limits.maxTokens, asked)).toBeNull();
  expect(mistakeOf({ ...answer, text: `${text}${"x".repeat(60)}`, written }, limits.maxTokens, asked)).toBe(
    "The answer is too large.",
  );
});
