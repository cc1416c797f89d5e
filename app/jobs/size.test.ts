import { expect, it } from "vitest";
import { extentOf } from "./extent.ts";
import { sizeOf } from "./size.ts";

const completion = (prompt: string, maxTokens: number) =>
  extentOf(
    {
      kind: "completion",
      request: { prompt, maxTokens, temperature: 0, topP: 1, seed: 1, stop: [] },
    },
    { contextTokens: 8_192 },
  );

it("a job's size is an estimate of the prompt's tokens, and the most that it may write", () => {
  expect(sizeOf(completion("a".repeat(3_000), 100))).toEqual({
    input: 1_001,
    output: 100,
    likelyOutput: 100,
    setupMs: 20_000,
  });
});

it("an answer is probably shorter than a request allows", () => {
  expect(sizeOf(completion("a", 4_000))).toMatchObject({ output: 4_000, likelyOutput: 256 });
});

it("an embedding writes nothing", () => {
  const extent = extentOf({ kind: "embedding", request: { inputs: ["abc"] } }, { contextTokens: 512 });
  expect(sizeOf(extent)).toMatchObject({ output: 0, likelyOutput: 0 });
});

const chat = (changed: object) =>
  extentOf(
    {
      kind: "chat",
      request: { messages: [], maxTokens: 100, temperature: 0, topP: 1, seed: 1, stop: [], ...changed },
    },
    { contextTokens: 8_192 },
  );

it("tools take about as much as their text, although more is reserved for them", () => {
  const extent = chat({ tools: [{ name: "f", description: "d".repeat(30_000) }] });
  const { input } = sizeOf(extent);
  expect(input).toBeGreaterThan(10_000);
  expect(input).toBeLessThan(11_000);
  expect(extent.promptBytes).toBeGreaterThan(60_000);
});

it("a short question takes the tokens of a usual template, although more is reserved for one", () => {
  const extent = chat({ messages: [{ role: "user", content: "What is the capital of Norway?" }] });
  // ChatML makes 21 tokens of it.
  expect(sizeOf(extent).input).toBe(25);
  expect(extent.addedTokens).toBe(96);
});

it("an answer that a device checks may have to be written three times", () => {
  const schema = JSON.stringify({ type: "integer", minimum: 5 });
  expect(sizeOf(chat({ format: { kind: "json-schema", schema } }))).toMatchObject({
    output: 300,
    likelyOutput: 100,
  });
});
