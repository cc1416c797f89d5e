import { expect, it } from "vitest";
import { indexesOf, jobsOfLine } from "./jobs-of-line.ts";
import type { BatchEndpoint } from "./limits.ts";

const texts = (count: number, chars = 1): string[] => Array.from({ length: count }, () => "x".repeat(chars));
const embeddings = "/v1/embeddings";

it.each<[string, BatchEndpoint, object, number]>([
  ["one choice", "/v1/chat/completions", {}, 1],
  ["several choices", "/v1/chat/completions", { n: 3 }, 3],
  ["several choices of a completion", "/v1/completions", { n: 8 }, 8],
  ["several prompts", "/v1/completions", { prompt: ["a", [1, 2]], n: 3 }, 6],
  ["one prompt as ids", "/v1/completions", { prompt: [1, 2], n: 3 }, 3],
  ["as many prompts as a call may have", "/v1/completions", { prompt: texts(32) }, 32],
  ["more prompts than are accepted", "/v1/completions", { prompt: texts(33) }, 1],
  ["more answers than are accepted", "/v1/completions", { prompt: texts(17), n: 2 }, 1],
  ["wrong prompts", "/v1/completions", { prompt: ["a", 7] }, 1],
  ["no prompts", "/v1/completions", { prompt: [], n: 2 }, 1],
  ["a chat, which has no prompts", "/v1/chat/completions", { prompt: ["a", "b"] }, 1],
  ["more choices than are accepted", "/v1/completions", { n: 9 }, 1],
  ["a wrong number of choices", "/v1/chat/completions", { n: "3" }, 1],
  ["a response, which has no choices", "/v1/responses", { n: 3 }, 1],
  ["one input", embeddings, { input: "x" }, 1],
  ["as many inputs as fit a job", embeddings, { input: texts(32) }, 1],
  ["more inputs", embeddings, { input: texts(33) }, 2],
  ["as many inputs as a call may have", embeddings, { input: texts(2_048) }, 64],
  ["more inputs than that", embeddings, { input: texts(2_049) }, 1],
  ["long inputs", embeddings, { input: texts(3, 100_000) }, 2],
  ["lists of ids", embeddings, { input: Array.from({ length: 40 }, () => [1, 2]) }, 2],
  ["one list of ids", embeddings, { input: [1, 2, 3] }, 1],
  ["wrong inputs", embeddings, { input: [...texts(300), { a: 1 }] }, 1],
])("%s", (_, endpoint, body, jobs) => {
  expect(jobsOfLine(endpoint, { ...body })).toBe(jobs);
});

it("counts the index of each job in the answer by choices, or by vectors", () => {
  const vectors = (inputs: number) => ({ kind: "embedding" as const, request: { inputs: texts(inputs) } });
  expect(indexesOf([vectors(32), vectors(32), vectors(6)])).toEqual([0, 32, 64]);
  const chat = { kind: "chat" as const, request: { messages: [], maxTokens: 1 } };
  expect(indexesOf([chat, chat, chat] as unknown as Parameters<typeof indexesOf>[0])).toEqual([0, 1, 2]);
});
