import fc from "fast-check";
import { expect, it } from "vitest";
import { hiddenTokens, usageMistake } from "./usage-check.ts";

const bounds = {
  promptTokens: 100,
  contextTokens: 4_096,
  maxTokens: 64,
  answerBytes: 30,
};
const report = (usage: object, timing: object = {}) => ({
  usage: { promptTokens: 10, completionTokens: 3, ...usage },
  timing: { prefillMs: 5, generateMs: 20, ...timing },
});

it("accepts the counts that a request allows, and nothing else", () => {
  const number = fc.oneof(fc.integer({ min: -5, max: 200 }), fc.double());
  fc.assert(
    fc.property(number, number, number, (promptTokens, completionTokens, cachedPromptTokens) => {
      const isRight =
        [promptTokens, completionTokens, cachedPromptTokens].every(
          (count) => Number.isInteger(count) && count >= 0,
        ) &&
        promptTokens <= 100 &&
        completionTokens <= Math.min(64, 30 + hiddenTokens) &&
        cachedPromptTokens <= promptTokens;
      const mistake = usageMistake(
        report({ promptTokens, completionTokens, cachedPromptTokens }),
        bounds,
        1_000,
      );
      expect(mistake === null).toBe(isRight);
    }),
  );
});

it.each([Number.NaN, Infinity, -1, 3_600_000])(
  "refuses a time of %d ms in a job of one second",
  (prefillMs) => {
    expect(usageMistake(report({}, { prefillMs }), bounds, 1_000)).toMatch(/^prefillMs/);
  },
);

it("bounds the prompt by the context, too", () => {
  expect(usageMistake(report({ promptTokens: 60 }), { ...bounds, contextTokens: 50 }, 1_000)).toMatch(
    /from 0 to 50/,
  );
});
