import { expect, it } from "vitest";
import type { EndedJob } from "./fold.ts";
import { mergeModelTokens, tokensOfDevices, withOthers } from "./model-tokens.ts";
import { mostSubjects } from "./tally.ts";

const attempt = (device: string | null, status: "succeeded" | "failed") =>
  ({ device, group: "none", status, isSteal: false, startedAt: 0, endedAt: 1 }) as const;

const job = (model: string, attempts: EndedJob["attempts"], promptTokens = 10): EndedJob => ({
  model,
  key: "k",
  owner: null,
  lane: null,
  outcome: "succeeded",
  submittedAt: 0,
  waitMs: null,
  usage: { promptTokens, completionTokens: 3 },
  micro: 0n,
  energy: null,
  attempts,
  earnings: [],
});

const tokens = (subject: string, promptTokens: number, completionTokens: number) => ({
  subject,
  promptTokens,
  completionTokens,
});

it("counts the tokens of a job for the device that answered it only", () => {
  const byDevice = tokensOfDevices([
    job("small", [attempt("d1", "failed"), attempt("d2", "succeeded")]),
    job("small", [attempt("d2", "succeeded")]),
    job("large", [attempt("d2", "succeeded")], 100),
    job("large", [attempt("d1", "failed")]),
    job("large", [attempt(null, "succeeded")]),
    { ...job("large", [attempt("d1", "succeeded")]), usage: null },
  ]);
  expect([...byDevice]).toEqual([["d2", [tokens("large", 100, 3), tokens("small", 20, 6)]]]);
});

it("keeps as many models apart as a bucket does, the largest first", () => {
  const many = Array.from({ length: mostSubjects + 2 }, (_, at) => tokens(`m${String(at)}`, at, 0));
  const merged = mergeModelTokens([many, [tokens("m0", 1_000, 1)]]);
  expect(merged).toHaveLength(mostSubjects);
  expect(merged[0]).toEqual(tokens("m0", 1_000, 1));
  expect(merged.map(({ subject }) => subject)).not.toContain("m1");
});

it("has the tokens without a known model under no name, so that nothing is lost", () => {
  const small = tokens("small", 20, 6);
  expect(withOthers({ promptTokens: 25, completionTokens: 6 }, [small])).toEqual([small, tokens("", 5, 0)]);
  expect(withOthers({ promptTokens: 20, completionTokens: 6 }, [small])).toEqual([small]);
  expect(withOthers({ promptTokens: 0, completionTokens: 0 }, [])).toEqual([]);
});
