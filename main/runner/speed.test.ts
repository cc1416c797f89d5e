import { describe, expect, it } from "vitest";
import { speedOf } from "./speed.ts";

describe("the speed of an answer", () => {
  const usage = { promptTokens: 120, completionTokens: 51, cachedPromptTokens: 20 };
  it("counts the tokens that were read and written", () => {
    expect(speedOf({ usage, timing: { prefillMs: 500, generateMs: 2_000 } })).toEqual({
      prefill: 200,
      generate: 25,
    });
  });

  it("returns no speed for a short answer", () => {
    expect(speedOf({ usage, timing: { prefillMs: 1, generateMs: 2_000 } })).toBeNull();
    expect(
      speedOf({ usage: { ...usage, cachedPromptTokens: 110 }, timing: { prefillMs: 50, generateMs: 2_000 } }),
    ).toBeNull();
  });
});
