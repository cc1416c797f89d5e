import { expect, it } from "vitest";
import { formulaWords } from "./formula-words.ts";

const formula = { promptTokens: 1_038, completionTokens: 12, promptMicro: 20_000n, completionMicro: 500n };

it("shows how a price came about", () => {
  expect(formulaWords({ ...formula, percent: 100, parts: null })).toBe(
    "1,038 tokens in × 20 + 12 out × 0.5 credits per 1,000",
  );
});

it("has no price of an answer where only the prompt has one", () => {
  expect(formulaWords({ ...formula, completionTokens: null, percent: 100, parts: null })).toBe(
    "1,038 tokens in × 20 credits per 1,000",
  );
});

it("names each percent that changes the price", () => {
  const parts = { priority: 200, kind: 50, hour: 80 };
  expect(formulaWords({ ...formula, percent: 80, parts })).toMatch(
    /per 1,000, × 200% for its priority, × 50% for its kind, × 80% for its hour$/,
  );
  expect(formulaWords({ ...formula, percent: 240, parts: { ...parts, kind: 100, dataClass: 150 } })).toMatch(
    /per 1,000, × 200% for its priority, × 150% for its data class, × 80% for its hour$/,
  );
  expect(formulaWords({ ...formula, percent: 160, parts: { ...parts, kind: 100 } })).toMatch(
    /per 1,000, × 200% for its priority, × 80% for its hour$/,
  );
});

it("names the whole percent if its parts are not known", () => {
  expect(formulaWords({ ...formula, percent: 160, parts: null })).toMatch(
    /per 1,000, × 160% for its priority, its kind and its hour$/,
  );
});
