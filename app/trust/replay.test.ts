import { describe, expect, it } from "vitest";
import { holdsCounts, isReplayable, parseReplay, replayOf, replayResult } from "./replay.ts";

const sampling = { maxTokens: 5, temperature: 0, topP: 1, seed: 1, stop: [] };
const of = { kind: "completion", request: { ...sampling, prompt: "Once" } } as const;
const answer = { text: "upon", finishReason: "stop" } as const;

it("sums up the tokens of an answer", () => {
  const fits = [
    { regret: 0, logprob: -0.5 },
    { regret: 0.2, logprob: -2 },
    { regret: 1, logprob: null },
    { regret: 1, logprob: -90 },
  ];
  expect(replayOf(fits)).toEqual({ tokens: 4, regret: 2.2, misses: 3, impossible: 2, logprob: -42.5 });
  expect(replayOf([])).toEqual({ tokens: 0, regret: 0, misses: 0, impossible: 0, logprob: 0 });
});

describe("parseReplay", () => {
  it("accepts the payload of a replay", () => {
    expect(parseReplay({ of, answer })).toEqual({ of, answer });
    expect(parseReplay({ of, answer: { ...answer, text: "" } })).not.toBeNull();
  });

  it("accepts some inputs with their vectors, as many as inputs, and eight at most", () => {
    const vectors = (inputs: number, embeddings = inputs) => ({
      of: { kind: "embedding", request: { inputs: Array.from({ length: inputs }, () => "a") } },
      answer: { embeddings: Array.from({ length: embeddings }, () => "AACAPw==") },
    });
    expect(parseReplay(vectors(8))).toEqual(vectors(8));
    for (const payload of [vectors(9), vectors(2, 1), vectors(1, 0)]) expect(parseReplay(payload)).toBeNull();
  });

  it.each([
    null,
    { of },
    { of, answer: { ...answer, finishReason: "perhaps" } },
    { of: { kind: "embedding", request: { inputs: ["a"] } }, answer },
    { of: { ...of, request: { ...of.request, temperature: -1 } }, answer },
    { of: { ...of, request: { ...of.request, format: { kind: "perhaps" } } }, answer },
  ])("refuses an invalid payload (case %#)", (payload) => {
    expect(parseReplay(payload)).toBeNull();
  });
});

describe("a replay's result", () => {
  const replay = { tokens: 4, regret: 1.5, misses: 2, impossible: 1, logprob: -9 };
  const result = {
    replay,
    usage: { promptTokens: 9, completionTokens: 0 },
    timing: { prefillMs: 3, generateMs: 0 },
  };

  it("is accepted if its counts fit each other", () => {
    expect(replayResult.safeParse(result).success).toBe(true);
  });

  it.each([
    [3, true],
    [4, true],
    [5, false],
    [2, false],
  ])("may count %i tokens of an answer of which four tokens were compared: %s", (completionTokens, isSo) => {
    const counted = { promptTokens: 6, completionTokens };
    expect(replayResult.safeParse({ ...result, counted }).success).toBe(true);
    expect(holdsCounts({ replay, counted }, false)).toBe(isSo);
  });

  it("may compare fewer tokens of a constrained answer than it counts, since a grammar forces some", () => {
    const counting = (completionTokens: number) => ({
      replay: { ...replay, tokens: 300 },
      counted: { promptTokens: 6, completionTokens },
    });
    expect(holdsCounts(counting(900), true)).toBe(true);
    expect(holdsCounts(counting(10), true)).toBe(false);
    expect(holdsCounts({ replay }, false)).toBe(true);
  });

  it.each([
    { misses: 5 },
    { impossible: 3 },
    { regret: 5 },
    { regret: 0.5 },
    { logprob: -100 },
    { logprob: Number.NaN },
    { regret: Infinity },
    { tokens: 1e9 },
  ])("is refused with %o", (changed) => {
    expect(replayResult.safeParse({ ...result, replay: { ...replay, ...changed } }).success).toBe(false);
  });
});

it("replays texts and calls, but no empty answer that a grammar or a call may have ended", () => {
  const usage = { promptTokens: 1, completionTokens: 1 };
  const whole = { ...answer, usage, timing: { prefillMs: 1, generateMs: 1 } };
  expect(isReplayable(of, whole)).toBe(true);
  expect(isReplayable(of, { ...whole, text: "" })).toBe(true);
  const forced = { ...of, request: { ...of.request, format: { kind: "json" } } } as const;
  expect(isReplayable(forced, whole)).toBe(true);
  expect(isReplayable(forced, { ...whole, text: "" })).toBe(false);
  const chat = { kind: "chat", request: { ...sampling, messages: [], tools: [{ name: "f" }] } } as const;
  expect(isReplayable(chat, whole)).toBe(true);
  expect(isReplayable(chat, { ...whole, text: "" })).toBe(false);
  const called = { ...whole, text: "", toolCalls: [{ name: "f", arguments: "{}" }] };
  expect(isReplayable(chat, called)).toBe(true);
});

it("accepts only calls of tools that the request has", () => {
  const request = {
    ...sampling,
    messages: [{ role: "user", content: "Hi" }],
    tools: [{ name: "f", parameters: '{"type":"object","properties":{}}' }],
  };
  const calling = (name: string) =>
    parseReplay({
      of: { kind: "chat", request },
      answer: { ...answer, toolCalls: [{ name, arguments: "{}" }] },
    });
  expect(calling("f")).not.toBeNull();
  expect(calling("g")).toBeNull();
});
