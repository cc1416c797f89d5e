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
    input: 1_008,
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
