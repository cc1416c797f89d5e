import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unseenTokens } from "../jobs/answers/text-check.ts";
import { hiddenTokens } from "../jobs/answers/usage-check.ts";
import { overclaimOf } from "./overclaim.ts";

const counted = { promptTokens: 10, completionTokens: 12 };
/** A replay whose last compared token is the end of the answer. */
const whole = { tokens: 13, misses: 0 };
/** A replay of an answer that was cut. */
const cut = { tokens: 12, misses: 0 };

describe("the reported tokens of an answer", () => {
  it("are possible if they are the checker's, or fewer", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), fc.nat(12), (promptTokens, completionTokens, misses) => {
        const most = { promptTokens: 300, completionTokens: 300 };
        const replay = { tokens: 301, misses };
        expect(overclaimOf({ promptTokens, completionTokens }, most, replay, 0)).toBeNull();
      }),
    );
  });

  it("may be more by control tokens, another tokenization and a stop text, which do not show", () => {
    const claim = (completionTokens: number) => ({ promptTokens: 10, completionTokens });
    expect(overclaimOf(claim(15 + hiddenTokens), counted, cut, 0)).toBeNull();
    expect(overclaimOf(claim(15 + hiddenTokens), counted, { ...whole, misses: 1 }, 0)).toBeNull();
    expect(overclaimOf(claim(35 + hiddenTokens), counted, cut, 20)).toBeNull();
    expect(overclaimOf(claim(31), counted, whole, 0)).toBeNull();
  });

  it("may be those of control tokens in an answer without text", () => {
    const empty = { promptTokens: 10, completionTokens: 0 };
    const fits = { tokens: 1, misses: 0 };
    expect(overclaimOf({ ...empty, completionTokens: hiddenTokens }, empty, fits, 0)).toBeNull();
    expect(overclaimOf({ ...empty, completionTokens: hiddenTokens + 1 }, empty, fits, 0)).not.toBeNull();
  });

  it("are an overclaim beyond that, with both counts as evidence", () => {
    const claimed = { promptTokens: 10, completionTokens: 80 };
    expect(overclaimOf(claimed, counted, cut, 0)).toEqual({ claimed, counted });
    expect(overclaimOf({ ...claimed, completionTokens: 32 }, counted, whole, 0)).not.toBeNull();
    expect(overclaimOf({ promptTokens: 77, completionTokens: 12 }, counted, whole, 0)).not.toBeNull();
    expect(overclaimOf({ promptTokens: 76, completionTokens: 12 }, counted, whole, 0)).toBeNull();
  });
});

it("cut and broken text may have tokens that nobody sees", () => {
  const request = { prompt: "Once", maxTokens: 5, temperature: 0, topP: 1, seed: 1, stop: ["é.", "."] };
  const unseen = (text: string, finishReason: "stop" | "length") =>
    unseenTokens({ text, finishReason }, request);
  expect(unseen("upon", "length")).toBe(0);
  expect(unseen("upon", "stop")).toBe(3);
  expect(unseen("\uFFFDupon\uFFFD", "length")).toBe(8);
});
