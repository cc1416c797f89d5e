import { describe, expect, it } from "vitest";
import { limits } from "../limits.ts";
import { parseWork } from "./payload.ts";

const sampling = { maxTokens: 5, temperature: 0, topP: 1, seed: 1, stop: [] };
const chat = { ...sampling, messages: [{ role: "user", content: "hi" }] };
const schema = '{"type":"string"}';

describe("parseWork", () => {
  it.each([
    ["chat", chat],
    [
      "chat",
      {
        ...chat,
        messages: [
          ...chat.messages,
          { role: "assistant", content: "", toolCalls: [{ id: "1", name: "f", arguments: "{}" }] },
          { role: "tool", content: "x", toolCallId: "1" },
        ],
        topK: 5,
        minP: 0.1,
        repeatPenalty: 1.1,
        frequencyPenalty: 1,
        presencePenalty: -1,
        logprobs: 2,
        logitBias: [{ token: 1, bias: 5 }],
        format: { kind: "json-schema", schema },
        tools: [{ name: "f", description: "d", parameters: schema }],
        toolChoice: { name: "f" },
      },
    ],
    ["completion", { ...sampling, prompt: "Once", format: { kind: "grammar", grammar: 'root ::= "a"' } }],
    ["embedding", { inputs: ["a", "b"] }],
  ])("accepts the payload of a %s job", (kind, request) => {
    expect(parseWork(kind, request)).toEqual({ kind, request });
  });

  it.each([
    ["poem", chat],
    ["chat", null],
    ["chat", { ...chat, messages: [] }],
    ["chat", { ...chat, messages: [{ role: "tool", content: "x" }] }],
    ["chat", { ...chat, messages: [{ role: "user", content: "x", toolCallId: "1" }] }],
    ["chat", { ...chat, tools: [{ name: "no name" }] }],
    ["chat", { ...chat, tools: [{ name: "f", parameters: "{" }] }],
    ["chat", { ...chat, tools: [{ name: "f", parameters: '{"type":"string","pattern":"("}' }] }],
    ["chat", { ...chat, tools: [{ name: "f", parameters: '{"type":"string","not":{}}' }] }],
    ["chat", { ...chat, toolChoice: "perhaps" }],
    ["chat", { ...chat, maxTokens: limits.maxTokens + 1 }],
    ["chat", { ...chat, temperature: NaN }],
    ["chat", { ...chat, seed: Infinity }],
    ["chat", { ...chat, stop: [""] }],
    ["chat", { ...chat, topK: -1 }],
    ["chat", { ...chat, logprobs: 21 }],
    ["chat", { ...chat, logitBias: [{ token: -1, bias: 0 }] }],
    ["completion", { ...sampling, prompt: "x", format: { kind: "grammar", grammar: "root ::= (" } }],
    ["completion", { ...sampling }],
    ["embedding", { inputs: [] }],
    ["embedding", { inputs: [""] }],
    ["embedding", { inputs: Array(limits.embeddingInputs + 1).fill("a") }],
  ])("refuses an invalid payload of a %s job (case %#)", (kind, request) => {
    expect(parseWork(kind, request)).toBeNull();
  });
});
