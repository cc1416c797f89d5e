import { expect, it } from "vitest";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import { linePoints, ratesOf, type Sample, sampleOf, withSample } from "./token-rates.ts";

const work = (attemptId: string, writtenTokens?: number): WorkView => ({
  attemptId,
  kind: "chat",
  modelId: "m",
  startedAt: 0,
  phase: "writing",
  writtenChars: 0,
  ...(writtenTokens === undefined ? {} : { writtenTokens }),
});

const sampled = (...seen: readonly (WorkView | null)[]): readonly Sample[] =>
  seen.reduce<readonly Sample[]>(
    (samples, each, second) => withSample(samples, sampleOf(each, second * 1_000)),
    [],
  );

it("a rate is what was written in a second", () => {
  expect(ratesOf(sampled(work("a"), work("a", 20), work("a", 80), work("a", 80)))).toEqual([20, 60, 0]);
});

it("goes on from one job to the next, and is 0 between them", () => {
  expect(ratesOf(sampled(work("a", 50), null, null, work("b", 12), work("c", 9)))).toEqual([0, 0, 12, 9]);
});

it("keeps a minute, and one sample for a moment", () => {
  const seen = Array.from({ length: 200 }, (_, second) => work("a", second * 5));
  expect(ratesOf(sampled(...seen))).toEqual(Array.from({ length: 60 }, () => 5));
  const one = withSample([], sampleOf(work("a", 1), 1_000));
  expect(withSample(one, sampleOf(work("a", 2), 1_000))).toBe(one);
});

it("draws the newest rate at the right, and the highest at the top", () => {
  expect(linePoints([0, 10, 5], 59, 20)).toBe("57.0,20.0 58.0,0.0 59.0,10.0");
  expect(linePoints([], 59, 20)).toBe("");
});
