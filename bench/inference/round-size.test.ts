import { expect, it } from "vitest";
import { roundSize } from "./round-size.ts";

const warmUp = (seconds: number) => ({ jobs: 4, maxTokens: 24, seconds });

it("a fast machine makes large rounds", () => {
  expect(roundSize(72, warmUp(0.8))).toEqual({ jobs: 24, maxTokens: 96 });
  expect(roundSize(72, warmUp(1.2))).toEqual({ jobs: 16, maxTokens: 96 });
  expect(roundSize(72, warmUp(1.6))).toEqual({ jobs: 12, maxTokens: 96 });
});

it("a slower machine makes fewer jobs, then shorter answers", () => {
  expect(roundSize(71, warmUp(1.6))).toEqual({ jobs: 8, maxTokens: 96 });
  expect(roundSize(72, warmUp(4))).toEqual({ jobs: 4, maxTokens: 96 });
  expect(roundSize(72, warmUp(8))).toEqual({ jobs: 4, maxTokens: 48 });
});

it("the estimate does not scale prompts with the answers", () => {
  // 4 answers of 24 tokens in 2.4 s, of which the prompts take half: answers of 48 tokens take 3.6 s.
  expect(roundSize(6 * 3.6, warmUp(2.4))).toEqual({ jobs: 4, maxTokens: 48 });
});

it("even the slowest machine makes a round", () => {
  expect(roundSize(72, warmUp(60))).toEqual({ jobs: 4, maxTokens: 24 });
  expect(roundSize(-1, warmUp(60))).toEqual({ jobs: 4, maxTokens: 24 });
});
